"""The command ``vrhcaby``. This module is light: without the extra ``cli`` it only says what to install."""

import sys
from collections.abc import Sequence

__all__ = ["main"]

_EXTRAS = {"cyclopts": "cli", "rich": "cli", "torch": "train"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    0 = done, 1 = the reader of the output went away, 2 = bad input, 130 = interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the command's name; by default those that the program was started with.

    >>> main(["--version"])
    vrhcaby 0.1.0
    0
    """
    try:
        from vrhcaby.cli.app import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _EXTRAS:
            raise
        print(f'vrhcaby: {missing} is not installed: pip install "vrhcaby[{_EXTRAS[missing]}]"', file=sys.stderr)
        return 2
