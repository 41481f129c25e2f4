"""A bot for both games: it lays patches where they touch most. Write your strategy into `value`."""
import quilt


def moves(start, state):
    """The moves that are looked at. All are legal; protocol.md tells of more."""
    board, patches = state["players"][start["seat"]]["board"], start.patches()
    if start["game"] == "doodle":
        for card in state["offer"]:
            for cells in quilt.placements(patches[card]["cells"], board):
                yield {"card": card, "cells": cells}
        if state["phase"] != "start":
            yield {"pass": True}
    elif state["phase"] == "leather":
        for cells in quilt.placements(["X"], board):
            yield {"leather": cells[0]}
    else:
        for patch in state["circle"][:3]:
            if patches[patch]["buttons"] <= state["players"][start["seat"]]["buttons"]:
                for cells in quilt.placements(patches[patch]["cells"], board):
                    yield {"buy": patch, "cells": cells}
        yield {"advance": True}


def value(start, state, move):
    """How good a move is; the first of the best is played."""
    me = state["players"][start["seat"]]
    if "pass" in move:
        return -1
    if "advance" in move:
        return 0
    touching = contact(me["board"], move.get("cells") or [move["leather"]])
    if "buy" in move:
        patch = start.patches()[move["buy"]]
        payments = sum(space > me["space"] for space in start["track"]["income"])
        worth = 2 * len(move["cells"]) + payments * patch["income"] - patch["buttons"] - patch["time"]
        return 100 * worth + touching
    return touching


def contact(board, cells):
    """How many sides of the cells touch the edge or a covered cell."""
    around = [(r + dr, c + dc) for r, c in cells for dr, dc in ((-1, 0), (0, -1), (0, 1), (1, 0))]
    return sum(not (0 <= r < 9 and 0 <= c < 9) or board[r][c] == "#" for r, c in around)


def decide(start, state):
    # `start.chance` is seeded, and a search has `start.budget_ms`. This puts numbers into the record:
    #start.data = {"seed": start["seed"], "budget_ms": start.budget_ms, "chance": start.chance.random()}
    return max(moves(start, state), key=lambda move: value(start, state, move))


quilt.run("python", decide)
