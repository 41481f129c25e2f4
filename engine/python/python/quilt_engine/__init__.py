"""The rules of Patchwork and Patchwork Doodle: states, environments, and batches for training.

`PatchworkState` and `DoodleState` are one match; `PatchworkBatch` and `DoodleBatch` are many. The modules `patchwork_v0`
and `doodle_v0` have environments for PettingZoo, `solo` has two for Gymnasium, `vector` has batches of them, and `program`
has games of your own. `run` plays a policy in the arena, and `evaluate` measures it. Moves are numbers, as
`arena moves --numbers` prints them: 2,026 at Patchwork, and one to seven of 2,029 in Patchwork Doodle.

Seats, cells, and numbers count from 0. A cell is `9 * row + col`. Points, buttons, and spaces are whole numbers. A
number out of range raises `IndexError`, and a move against the rules `IllegalMove`; then nothing has changed.
"""

from __future__ import annotations

from itertools import accumulate

from ._engine import (
    BOTS,
    _DOODLE,
    _PATCHWORK,
    DOODLE_ACTIONS,
    LAST,
    PATCHWORK_ACTIONS,
    PLANES_BOUNDS,
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
from .arena import Evaluation, evaluate, run


def _slices(parts: list[tuple[str, int, float]]) -> dict[str, slice]:
    ends = accumulate(length for _, length, _ in parts)
    return {name: slice(end - length, end) for (name, length, _), end in zip(parts, ends)}


#: The parts of an observation of Patchwork by name. Pairs are the own number and the other seat's; `bonus` and
#: `first_at_end` are 1 for the own seat and -1 for the other.
PATCHWORK_SLICES = _slices(_PATCHWORK)
#: Divisors that bring the numbers of an observation near 1.
PATCHWORK_SCALE = tuple(scale for _, length, scale in _PATCHWORK for _ in range(length))
#: The parts of an observation of Patchwork as planes. `own_quilt`, `other_quilt`, and three `offers` are boards of 9x9;
#: `offer_numbers` are buttons, time, and income of each offer. Numbers are divided by their scale, and those below -1 or
#: above 10 become -1 or 10.
PATCHWORK_PLANES = _slices([*_PATCHWORK[:2], ("offers", 243, 1.0), ("offer_numbers", 9, 1.0), *_PATCHWORK[3:]])
#: The parts of an observation of Patchwork Doodle by name. `actions` are neighbor, single, cut, and repeat; `stage` is
#: 0 for a move, 1 for a piece of the card in `slot` - 1, 2 for single cells, and 3 for a seat that waits; `points` are
#: those of a scoring now.
DOODLE_SLICES = _slices(_DOODLE)
#: Divisors that bring the numbers of an observation near 1.
DOODLE_SCALE = tuple(scale for _, length, scale in _DOODLE for _ in range(length))
#: The parts of an observation of Patchwork Doodle as planes: `board`, `move`, and three `offers` are boards of 9x9.
DOODLE_PLANES = _slices([*_DOODLE[:2], ("offers", 243, 1.0), *_DOODLE[4:]])

__all__ = [
    "BOTS",
    "DOODLE_ACTIONS",
    "DOODLE_PLANES",
    "DOODLE_SCALE",
    "DOODLE_SLICES",
    "LAST",
    "PATCHWORK_ACTIONS",
    "PATCHWORK_PLANES",
    "PATCHWORK_SCALE",
    "PATCHWORK_SLICES",
    "PLANES_BOUNDS",
    "BadState",
    "Bot",
    "DoodleBatch",
    "DoodleRules",
    "DoodleState",
    "Evaluation",
    "IllegalMove",
    "PatchworkBatch",
    "PatchworkRules",
    "PatchworkState",
    "__version__",
    "evaluate",
    "read_doodle",
    "read_patchwork",
    "run",
]
