"""Every example in a docstring, of Python and of Cython modules, prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import vrhcaby

MODULES = ["vrhcaby", *(module.name for module in pkgutil.walk_packages(vrhcaby.__path__, "vrhcaby."))]
if "vrhcaby.__main__" in MODULES:
    MODULES.remove("vrhcaby.__main__")  # importing it runs the command

NEED_TORCH = {f"vrhcaby.training.{name}" for name in ("fitting", "layers", "quantisation")}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    if name in NEED_TORCH:
        pytest.importorskip("torch")
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
