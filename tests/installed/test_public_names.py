"""The names of the package: what it exports, and that no submodule takes one of these names."""

import importlib
import importlib.metadata
import pkgutil
import types

import vrhcaby


def submodules() -> list[str]:
    names = [module.name for module in pkgutil.walk_packages(vrhcaby.__path__, "vrhcaby.")]
    return [name for name in names if not name.endswith(".__main__")]  # importing that one runs the command


def test_version_is_the_one_of_the_distribution() -> None:
    assert vrhcaby.__version__ == importlib.metadata.version("vrhcaby")


def test_entry_point_is_callable() -> None:
    (command,) = importlib.metadata.entry_points(group="console_scripts", name="vrhcaby")
    assert callable(command.load())


def test_public_names_survive_the_import_of_every_submodule() -> None:
    before = {name: getattr(vrhcaby, name) for name in vrhcaby.__all__}
    for name in submodules():
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != "torch":  # an extra that tests do without
                raise
    after = {name: getattr(vrhcaby, name) for name in vrhcaby.__all__}
    assert before == after
    assert [name for name, value in after.items() if isinstance(value, types.ModuleType)] == []


def test_dir_lists_every_public_name_once() -> None:
    assert len(vrhcaby.__all__) == len(set(vrhcaby.__all__))
    assert set(vrhcaby.__all__) <= set(dir(vrhcaby))
