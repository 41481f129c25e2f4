"""The rules of Patchwork and Patchwork Doodle: states, environments, and batches for training.

`PatchworkState` and `DoodleState` are one match; `PatchworkBatch` and `DoodleBatch` are many. The modules `patchwork_v0`
and `doodle_v0` have environments for PettingZoo, and `solo` has one for Gymnasium. Moves are numbers, as
`arena moves --numbers` prints them: 2,026 at Patchwork, and one to seven of 2,029 in Patchwork Doodle.

Seats, cells, and numbers count from 0. A cell is `9 * row + col`. Points, buttons, and spaces are whole numbers. A
number out of range raises `IndexError`, and a move against the rules `IllegalMove`; then nothing has changed.
"""

from __future__ import annotations

from ._engine import (
    BOTS,
    DOODLE_ACTIONS,
    LAST,
    PATCHWORK_ACTIONS,
    BadState,
    Bot,
    DoodleBatch,
    DoodleRules,
    DoodleState,
    IllegalMove,
    PatchworkBatch,
    PatchworkRules,
    PatchworkState,
    __version__,
    read_doodle,
    read_patchwork,
)


def _slices(parts: list[tuple[str, int, int]]) -> dict[str, slice]:
    ends, start = {}, 0
    for name, length, _ in parts:
        ends[name] = slice(start, start + length)
        start += length
    return ends


_PATCHWORK = [
    ("own_quilt", 81, 1),
    ("other_quilt", 81, 1),
    ("circle", 33, 33),
    ("buttons", 2, 10),
    ("income", 2, 5),
    ("space", 2, 20),
    ("spaces_left", 2, 20),
    ("next_income", 2, 5),
    ("incomes_left", 2, 5),
    ("leather", 1, 5),
    ("leather_due", 1, 1),
    ("bonus", 1, 1),
    ("first_at_end", 1, 1),
    ("to_move", 1, 1),
]
_DOODLE = [
    ("board", 81, 1),
    ("move", 81, 1),
    ("circle", 8, 40),
    ("offer", 3, 40),
    ("unseen", 30, 1),
    ("actions", 4, 1),
    ("rounds", 3, 81),
    ("round", 1, 3),
    ("turn", 1, 6),
    ("is_start", 1, 1),
    ("is_final", 1, 1),
    ("stage", 1, 3),
    ("slot", 1, 3),
    ("points", 1, 81),
]

#: The parts of an observation of Patchwork by name. Pairs are the own number and the other seat's; `bonus` and
#: `first_at_end` are 1 for the own seat and -1 for the other.
PATCHWORK_SLICES = _slices(_PATCHWORK)
#: Divisors that bring the numbers of an observation near 1.
PATCHWORK_SCALE = tuple(float(scale) for _, length, scale in _PATCHWORK for _ in range(length))
#: The parts of an observation of Patchwork Doodle by name. `actions` are neighbor, single, cut, and repeat; `stage` is
#: 0 for a move, 1 for a piece of the card in `slot` - 1, 2 for single cells, and 3 for a seat that waits; `points` are
#: those of a scoring now.
DOODLE_SLICES = _slices(_DOODLE)
#: Divisors that bring the numbers of an observation near 1.
DOODLE_SCALE = tuple(float(scale) for _, length, scale in _DOODLE for _ in range(length))

__all__ = [
    "BOTS",
    "DOODLE_ACTIONS",
    "DOODLE_SCALE",
    "DOODLE_SLICES",
    "LAST",
    "PATCHWORK_ACTIONS",
    "PATCHWORK_SCALE",
    "PATCHWORK_SLICES",
    "BadState",
    "Bot",
    "DoodleBatch",
    "DoodleRules",
    "DoodleState",
    "IllegalMove",
    "PatchworkBatch",
    "PatchworkRules",
    "PatchworkState",
    "__version__",
    "read_doodle",
    "read_patchwork",
]
