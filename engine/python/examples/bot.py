"""Plays Patchwork: random matches after each legal move, and the move with the best mean margin."""

from quilt_engine import PatchworkState, run


def choose(state: PatchworkState) -> int:
    actions, margins = state.playouts(max(1, min(64, 4000 // state.legal_count())))
    return int(actions[margins.argmax()])


run("playouts", choose)
