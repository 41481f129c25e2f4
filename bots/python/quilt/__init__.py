"""Quilt Arena for Python: the messages as types, the dialogue as a loop, and where patches fit.

    import quilt

    def decide(start: quilt.Start, state: quilt.State) -> quilt.Move: ...

    quilt.run("mybot", decide)
"""
import json
import os
import random
import sys
from typing import Any, Callable, Iterator, Literal, Sequence, TypedDict, Union

Cell = tuple[int, int]  # row and column, both 0 to 8
Board = list[str]  # 9 strings of 9 characters: "#" covered, "." empty
Move = dict[str, Any]  # such as {"card": "P07", "cells": [(0, 0), (0, 1)]} or {"advance": True}


class DoodlePlayer(TypedDict):
    board: Board
    rounds: list[int]
    actions: list[Literal["neighbor", "single", "cut", "repeat"]]


class DoodleState(TypedDict):
    phase: Literal["start", "draw", "final"]
    round: int
    turn: int
    circle: list[str]
    offer: list[str]
    unseen: list[str]
    players: list[DoodlePlayer]


class PatchworkPlayer(TypedDict):
    board: Board
    buttons: int
    income: int
    space: int


class PatchworkState(TypedDict):
    phase: Literal["turn", "leather"]
    circle: list[str]
    leather: list[int]
    leather_due: int
    bonus: Union[int, None]
    players: list[PatchworkPlayer]


State = Union[DoodleState, PatchworkState]


class Start(dict[str, Any]):
    """The start message, with `game`, `seat`, `seed`, `limits` and the rest as protocol.md has them."""

    chance: random.Random  # seeded: the same seed, the same moves
    budget_ms: int  # the time to search in this turn
    data: Any  # numbers for the record of this turn

    def begin_turn(self, time_ms: int) -> None:
        """Forgets the data of the turn before, and shares out the time."""
        whole_match = self["limits"].get("match_ms") is not None
        share = time_ms // 20 + self["limits"].get("increment_ms", 0) if whole_match else time_ms
        self.budget_ms, self.data = min(share, time_ms * 9 // 10), None

    def patches(self) -> dict[str, dict[str, Any]]:
        """Every card or patch by its id."""
        cards = self["cards"]["starts"] + self["cards"]["patches"] if "cards" in self else self["patches"]
        return {card["id"]: card for card in cards}


def orientations(shape: Sequence[str]) -> list[list[Cell]]:
    """The distinct rotations and flips of a shape, each moved to the top left corner."""
    cells = [(r, c) for r, row in enumerate(shape) for c, mark in enumerate(row) if mark == "X"]
    found = set()
    for turned in cells, [(r, -c) for r, c in cells]:
        for _ in range(4):
            turned = [(c, -r) for r, c in turned]
            top, left = min(r for r, _ in turned), min(c for _, c in turned)
            found.add(tuple(sorted((r - top, c - left) for r, c in turned)))
    return [list(cells) for cells in sorted(found)]


def placements(shape: Sequence[str], board: Board) -> Iterator[list[Cell]]:
    """Every way to lay the shape on empty cells."""
    for cells in orientations(shape):
        height, width = max(r for r, _ in cells) + 1, max(c for _, c in cells) + 1
        for top in range(10 - height):
            for left in range(10 - width):
                spot = [(r + top, c + left) for r, c in cells]
                if all(board[r][c] == "." for r, c in spot):
                    yield spot


def run(
    name: str,
    decide: Callable[[Start, Any], Move],
    solitary: bool = False,
    again: Union[Callable[[Start, Any, dict[str, Any]], Move], None] = None,
) -> None:
    """Talks to the arena until it says goodbye or its end of the pipe closes. `solitary`: see protocol.md.
    `again` answers a turn once more, with the `retry` message, if the bot's entry has `retries`."""
    is_debugged = "QUILT_IN" in os.environ  # then stdin and stdout belong to the debugger
    lines = open(os.environ["QUILT_IN"]) if is_debugged else sys.stdin
    answers = open(os.environ["QUILT_OUT"], "w") if is_debugged else sys.stdout
    start, state = Start(), None
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {"type": "hello", "protocol": 1, "name": name, "solitary": solitary}
        elif message["type"] == "start":
            start = Start(message)
            start.chance = random.Random(start["seed"])
            answer = {"type": "ready"}
        elif message["type"] == "turn":
            state = message["state"]
            start.begin_turn(message["time_ms"])
            answer = {"type": "move", "id": message["id"], "move": decide(start, state)}
        elif message["type"] == "retry" and again:
            answer = {"type": "move", "id": message["id"], "move": again(start, state, message)}
        elif message["type"] == "quit":
            break
        else:
            continue  # "fault" and "end" want no answer
        if answer["type"] == "move" and start.data is not None:
            answer["data"] = start.data
        print(json.dumps(answer), file=answers, flush=True)
