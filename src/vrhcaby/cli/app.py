"""The verbs, and what all of them do with errors, interrupts and closed pipes."""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter

import vrhcaby
from vrhcaby.cli.bench import bench
from vrhcaby.cli.moves import moves
from vrhcaby.cli.options import Json
from vrhcaby.cli.output import print_json
from vrhcaby.cli.rollout import rollout
from vrhcaby.cli.show import show
from vrhcaby.cli.train import train

__all__ = ["app", "run"]

app = App(
    name="vrhcaby",
    help="Backgammon and its relatives: rollouts, legal moves, boards.",
    help_format="plaintext",
    version_flags=(),
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
for verb in (rollout, moves, show, bench, train):
    app.command(verb)


@app.default
def _without_verb(
    *words: Annotated[str, Parameter(show=False)],
    version: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Json = False,
) -> None:
    """Print the version or the help.

    Parameters
    ----------
    version
        Print the version; with --json everything that a bug report needs.
    """
    if words:
        verbs = [name for name in app if not name.startswith("-")]
        near = difflib.get_close_matches(words[0], verbs, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no verb {words[0]!r}{hint} (verbs: {', '.join(verbs)})")
    if version and json:
        print_json(vrhcaby.show_config())
    elif version:
        print(f"vrhcaby {vrhcaby.__version__}")
    elif json:
        raise ValueError("--json needs a verb or --version")
    else:
        app.help_print([])


def run(arguments: Sequence[str]) -> int:
    """Run the command with these words and return its exit code."""
    if sys.stdout is None or sys.stderr is None:
        return 2  # closed by the caller: there is nowhere to say anything
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # where output is ASCII only, a sign such as ± is no reason to stop
    try:
        app(arguments, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on. Python would complain once more when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _refuse(str(error) if error.filename is None else f"{error.filename}: {error.strerror}")
    except (CycloptsError, ValueError) as error:
        return _refuse(str(error))
    return 0


def _refuse(message: str) -> int:
    print(f"vrhcaby: {' '.join(message.split())}", file=sys.stderr)
    return 2
