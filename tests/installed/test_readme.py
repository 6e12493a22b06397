"""The README says what really happens."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"

pytestmark = pytest.mark.skipif(not README.exists(), reason="needs the README of the checkout")


def test_examples() -> None:
    failed, tried = doctest.testfile(str(README), module_relative=False)
    assert (failed, tried > 10) == (0, True)


def test_output_of_the_first_command() -> None:
    """To the letter, but for how long it took."""
    block = re.search(
        r"\$ [^\n]*&& \.venv/bin/vrhcaby ([^\n]*)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert block is not None
    program = "import sys; from vrhcaby.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, *shlex.split(block[1])],
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    timing = re.compile(r"in [\d.]+ s, [\d,]+ a second")
    assert timing.sub("", done.stdout.strip()) == timing.sub("", block[2].strip())


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / target).exists(), target
