"""``vrhcaby moves``: every legal play of a roll."""

from __future__ import annotations

from vrhcaby.cli.options import Json, PositionText, Settings, VariantName, read_dice, read_state
from vrhcaby.cli.output import describe, print_json, print_table

__all__ = ["moves"]


def moves(
    position: PositionText,
    dice: str | None = None,
    /,
    *,
    variant: VariantName = None,
    settings: Settings = (),
    json: Json = False,
) -> None:
    """List all legal plays of a roll, each with the position after it.

    Plays that lead to the same position stand once. The position after a play is
    seen by the other player, who is on roll then.

    For example:
      vrhcaby moves start 31
      vrhcaby moves XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10
      vrhcaby moves start 6-6 --variant long-nardy --set head_exception=none

    Parameters
    ----------
    dice
        The roll, as 31, 3-1 or 3,1; may be left out if the ID holds a roll.
    """
    state = read_state(position, variant, settings)
    if dice is not None:
        roll = read_dice(dice)
    elif state.dice is not None:
        roll = state.dice
    else:
        raise ValueError(f"{position} holds no roll: say which one to play, such as 31")
    plays = state.position.moves(roll)
    if json:
        print_json(
            {
                **describe(state.position),
                "dice": roll,
                "count": len(plays),
                "moves": [
                    {"move": str(play), "steps": play.steps, "hits": play.hits, "id": play.position.id}
                    for play in plays
                ],
            }
        )
        return
    rows = [(str(number), str(play), play.position.id) for number, play in enumerate(plays, start=1)]
    print_table([("", "play", "position after it"), *rows], left=(1, 2))
