"""Plays Patchwork with the weights that `train.py` wrote: the move after which its value is highest.

arena check --bot "python value_bot.py value.npz" --game patchwork --read value.npz
"""

import sys

import numpy as np

from quilt_engine import Bot, PatchworkState, run

with np.load(sys.argv[1] if len(sys.argv) > 1 else "value.npz") as weights:
    first, bias, second = (weights[name] for name in ("first", "bias", "second"))


def choose(state: PatchworkState) -> int:
    if not state.rules.is_standard:  # the weights know the standard patches alone
        return Bot("greedy").choose(state)
    actions, seen = state.afterstates()
    return int(actions[(np.maximum(seen @ first + bias, 0) @ second).argmax()])


run("value", choose)
