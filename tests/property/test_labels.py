"""Labels of training on any board of any variant: equal to the slow calculation."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from tests import labels
from tests.property.strategies import positions, presets
from tests.reference import Board
from vrhcaby import Position, Variant, pack
from vrhcaby.rollouts import truncated_rollouts
from vrhcaby.search import look_ahead


@given(presets.flatmap(lambda rules: st.tuples(st.just(rules), positions(rules))), st.booleans())
def test_look_ahead(found: tuple[Variant, Board], table: bool) -> None:
    rules, board = found
    row = pack([Position(*board, rules)], variant=rules)
    for player in (labels.shipped(rules, table=table), labels.small(rules, table=table, filtered=True)):
        chances = look_ahead(row, variant=rules, evaluator=player.network, bear_off=table)
        np.testing.assert_allclose(chances[0], player.look_ahead(row), atol=1e-6)


@given(
    presets.flatmap(lambda rules: st.tuples(st.just(rules), positions(rules))),
    st.integers(1, 3),
    st.integers(0, 2**64 - 1),
    st.booleans(),
)
def test_truncated_rollouts(found: tuple[Variant, Board], turns: int, seed: int, ahead: bool) -> None:
    rules, board = found
    row = pack([Position(*board, rules)], variant=rules)
    player = labels.shipped(rules)
    chances, _ = truncated_rollouts(
        row, turns=turns, seed=seed, variant=rules, evaluator=player.network, look_ahead=ahead
    )
    np.testing.assert_allclose(chances[0], player.truncated_trial(row, turns, seed, 0, ahead=ahead), atol=2e-6)
