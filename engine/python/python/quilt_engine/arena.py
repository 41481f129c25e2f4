"""A policy as a bot of the arena, and its strength.

A policy is a function that returns the number of a legal move of a state. `run` plays it on stdin and stdout, and
`evaluate` plays it here, against a bundled bot or another policy:

>>> from quilt_engine import Bot, evaluate
>>> found = evaluate(Bot("greedy").choose, "random", deals=8)
>>> found.matches, found.won
(16, 1.0)

At Patchwork the policy gets the `PatchworkState` of the seat to move. In Patchwork Doodle it gets a `DoodleState` with one
seat, its own. It returns the number of the next step and is asked again until its move is complete, or it returns a list
with all numbers of the move. The state is a copy: the policy may play on.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import partial
from typing import Any, NamedTuple

from ._engine import Bot, DoodleBatch, DoodleRules, DoodleState, PatchworkBatch, PatchworkRules, PatchworkState

#: The rules, a match of two seats, a batch, which checks the opponent, and how a bot chooses.
_GAMES: dict[str, tuple[Any, Any, Any, Any]] = {
    "patchwork": (PatchworkRules, PatchworkState, PatchworkBatch, Bot.choose),
    "doodle": (DoodleRules, lambda seed, rules: DoodleState(2, seed, rules), DoodleBatch, Bot.choose_steps),
}
#: The first seed of `evaluate`. Batches that begin with small seeds do not deal it.
FIRST_DEAL = 1 << 52


class Evaluation(NamedTuple):
    """The result of `evaluate`. Intervals have 95 % and are as in the arena's tables: all matches on a deal count as one
    block. With fewer than 8 deals they are infinite."""

    matches: int
    #: The share of matches won; a draw is half.
    won: float
    won_interval: tuple[float, float]
    #: The mean difference in points.
    margin: float
    margin_interval: tuple[float, float]


def run(name: str, choose: Callable[[Any], Any]) -> None:
    """Plays matches of both games as a bot of the arena, on stdin and stdout. What `choose` prints goes to stderr."""
    answers, state = sys.stdout, None
    with redirect_stdout(sys.stderr):
        for line in sys.stdin:
            message = json.loads(line)
            kind = message["type"]
            if kind == "hello":
                # In Patchwork Doodle, a policy sees its own sheet alone.
                answer = json.dumps({"type": "hello", "protocol": 1, "name": name, "solitary": True})
            elif kind == "start":
                rules, seat = _GAMES[message["game"]][0](line), message["seat"]
                answer = '{"type":"ready"}'
            elif kind in ("turn", "retry"):
                state = rules.state(message["state"], seat) if kind == "turn" else state
                answer = '{"type":"move","id":%d,"move":%s}' % (message["id"], _move(choose, state))
            else:
                continue
            print(answer, file=answers, flush=True)


def evaluate(
    choose: Callable[[Any], Any],
    opponent: str | Callable[[Any], Any] = "greedy",
    deals: int | Iterable[int] = 200,
    *,
    game: str = "patchwork",
    nodes: int | None = None,
    rules: PatchworkRules | DoodleRules | None = None,
) -> Evaluation:
    """Plays each deal from both seats. `deals` is a number, or the seeds of the deals. `opponent` is the name of a bundled bot,
    whose search `nodes` bounds, or a policy."""
    _, make, batch, asked = _GAMES[game]
    if isinstance(opponent, str):
        batch(1, mask=None, observation=False, opponent=opponent, nodes=nodes)
    won, margins = [], []
    for seed in range(FIRST_DEAL, FIRST_DEAL + deals) if isinstance(deals, int) else deals:
        for own in (0, 1):
            other = partial(asked, Bot(opponent, seed, nodes)) if isinstance(opponent, str) else opponent
            match, players = make(seed, rules), (choose, other) if own == 0 else (other, choose)
            while not match.is_over:
                for seat in [match.to_move] if game == "patchwork" else match.pending:
                    place = () if game == "patchwork" else (seat,)
                    seen = match.rules.state(match.state_json(*place), seat)
                    match.play_move(*place, _move(players[seat], seen))
            margins.append(match.scores[own] - match.scores[1 - own])
            won.append(0.5 + (match.ranks[1 - own] - match.ranks[own]) / 2)
    return Evaluation(len(won), *_mean(won), *_mean(margins))


def _move(choose: Callable[[Any], Any], state: Any) -> str:
    """Returns the move that a policy chooses, as the JSON of an answer."""
    if isinstance(state, PatchworkState):
        return state.move_json(choose(state.clone()))
    state, done = state.clone(), False
    while not done:
        chosen = choose(state.clone())
        for number in chosen if isinstance(chosen, Iterable) else [chosen]:
            done = state.step(0, number)
    move: str = state.last_move_json()
    return move


def _mean(values: list[float]) -> tuple[float, tuple[float, float]]:
    """Returns the mean of matches, two a deal, and its interval: t s / sqrt(D) to both sides for D deals, whose means have the
    standard deviation s."""
    blocks = [(one + other) / 2 for one, other in zip(values[::2], values[1::2])]
    count, mean = len(blocks), sum(values) / len(values)
    half = math.inf
    if count >= 8:
        # The 97.5 % quantile of Student's t, from that of the normal distribution (Cornish and Fisher).
        z, f = 1.959963985, count - 1
        t = z + (z**3 + z) / (4 * f) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * f**2)
        t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * f**3)
        half = t * math.sqrt(sum((block - mean) ** 2 for block in blocks) / f / count)
    return mean, (mean - half, mean + half)
