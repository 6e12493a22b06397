"""What the source distribution and the wheel hold: everything that they must, and nothing else.

Needs ``VRHCABY_DIST`` = a folder with one of each, built from this checkout, as .ci/run does.
"""

import os
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "vrhcaby"
DIST = os.environ.get("VRHCABY_DIST")

pytestmark = pytest.mark.skipif(DIST is None, reason="VRHCABY_DIST names no folder with built archives")

INSTALLED = {".h", ".npz", ".pxd", ".py", ".pyi", ".typed"}  # suffixes of files that the wheel takes from src
COMPILED = {".pyd", ".so"}


def suffix(name: str) -> str:
    return ".typed" if name.endswith("py.typed") else PurePosixPath(name).suffix


def sources(*suffixes: str) -> set[str]:
    """Files of the package in the checkout, as paths from ``src``."""
    return {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and suffix(path.name) in suffixes
    }


@pytest.fixture(scope="module")
def wheel() -> set[str]:
    (path,) = Path(str(DIST)).glob("vrhcaby-*.whl")
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def sdist() -> set[str]:
    """Names in the source distribution, without the folder that holds them all."""
    (path,) = Path(str(DIST)).glob("vrhcaby-*.tar.gz")
    with tarfile.open(path) as archive:
        return {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}


def test_wheel_holds_every_file_of_the_package(wheel: set[str]) -> None:
    package = {name for name in wheel if name.startswith("vrhcaby/") and suffix(name) not in COMPILED}
    assert package == sources(*INSTALLED)


def test_wheel_holds_one_extension_for_each_cython_file(wheel: set[str]) -> None:
    compiled = {name.split(".")[0] for name in wheel if suffix(name) in COMPILED}
    assert compiled == {name.removesuffix(".pyx") for name in sources(".pyx")}


def test_wheel_holds_licence_and_entry_point_and_nothing_beside_the_package(wheel: set[str]) -> None:
    info = {name.split("/", 1)[1] for name in wheel if not name.startswith("vrhcaby/")}
    assert info == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt"}


def test_sdist_holds_all_that_is_needed_to_build(sdist: set[str]) -> None:
    package = {name.removeprefix("src/") for name in sdist if name.startswith("src/vrhcaby/")}
    assert package == sources(*INSTALLED, ".pyx") | sources(".c")
    assert {"pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md"} <= sdist


def test_sdist_holds_the_tests_with_their_data(sdist: set[str]) -> None:
    tests = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert {name for name in sdist if name.startswith("tests/")} == tests


def test_sdist_holds_nothing_generated(sdist: set[str]) -> None:
    generated = {".html", ".pyc", *COMPILED}
    assert {name for name in sdist if suffix(name) in generated} == set()
    # The C that is left was written by hand: Cython puts its own beside the .pyx.
    assert {name for name in sdist if suffix(name) == ".c" and f"{name.removesuffix('c')}pyx" in sdist} == set()
