"""Cython files keep to the floors that pyproject.toml sets for import-linter, which does not see them."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "vrhcaby"

# What a module needs to be built and loaded. Not the imports inside functions: `Position.gnubg_id` and its like reach
# for a room above when they are called, and the core works without it.
IMPORT = re.compile(
    r"^(?:\s*from\s+(?P<from>[\w.]+)\s+cimport\b"
    r"|from\s+(?P<from_python>[\w.]+)\s+import\b"
    r"|\s*cimport\s+(?P<module>[\w., ]+?)(?:\s+as\s+\w+)?\s*(?:#.*)?$"
    r"|import\s+(?P<module_python>[\w., ]+?)(?:\s+as\s+\w+)?\s*(?:#.*)?$)"
)


def floors() -> dict[str, int]:
    """The floor of every room, counted from the ground."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    return {
        room.strip(" ()"): floor
        for floor, layer in enumerate(reversed(contract["layers"]))
        for room in re.split(r"[:|]", layer)
    }


def room_of(module: str) -> str:
    """The room of a dotted module name. The headers of the core have names of their own, but live in its room."""
    room = module.split(".")[1]
    return "_core" if room.startswith("_") and room not in floors() else room


def imports(source: Path) -> list[tuple[int, str]]:
    """(line number, absolute module name) of every import and cimport from the package."""
    package = ("vrhcaby", *source.relative_to(PACKAGE).parts[:-1])
    found = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        if match := IMPORT.match(line):
            for name in next(filter(None, match.groups())).split(","):
                module = name.strip()
                if module.startswith("."):
                    ups = len(module) - len(module.lstrip("."))
                    module = ".".join((*package[: len(package) - ups + 1], *filter(None, [module.lstrip(".")])))
                if module.split(".")[0] == "vrhcaby":
                    found.append((number, module))
    return found


@pytest.mark.skipif(not PACKAGE.exists(), reason="needs the source tree: the .pyx files are not installed")
def test_cython_keeps_to_the_floors() -> None:
    sources = sorted([*PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxd")])
    assert sources
    floor, wrong = floors(), []
    for source in sources:
        here = room_of("vrhcaby." + ".".join(source.relative_to(PACKAGE).with_suffix("").parts))
        for number, module in imports(source):
            place = f"{source.relative_to(ROOT)}:{number}: {here} imports {module}"
            if module == "vrhcaby":
                wrong.append(f"{place}: rooms import from rooms, not from the package")
            elif room_of(module) != here and floor[room_of(module)] >= floor[here]:
                wrong.append(f"{place}: not a floor below")
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("from vrhcaby._core cimport legal_moves", "vrhcaby._core"),
        ("    from .search cimport node", ".search"),
        ("cimport vrhcaby._position as position  # why", "vrhcaby._position"),
        ("from vrhcaby.ids import encode", "vrhcaby.ids"),
        ("import vrhcaby.notation", "vrhcaby.notation"),
        ("        from vrhcaby import ids", None),
    ],
)
def test_import_pattern(line: str, module: str | None) -> None:
    match = IMPORT.match(line)
    assert module == (match and next(filter(None, match.groups())))
