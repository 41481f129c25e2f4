"""Hex with swap as a game for the arena: x joins the top to the bottom, o the left side to the right one."""

import json
import random
import sys

STONES = "xo"
NEIGHBORS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


def describe(question):
    return {"name": "hex", "version": "1", "seats": [2, 2], "options": {"size": 11},
            "supports": ["legal", "text", "seat-text", "play-text"],
            "board": {"cells": "hexagonal", "row": "row", "column": "column",
                      "colours": {"x": "#b03030", "o": "#3050b0"}}}


def deal(question):
    size = question["options"]["size"]
    return {"state": {"board": ["." * size] * size, "turn": 0, "moves": 0, "won": None,
                      "match": random.Random(question["seed"]).randrange(10 ** 6)}}


def legal_moves(state):
    cells = [{"row": row, "column": column} for row, line in enumerate(state["board"])
             for column, letter in enumerate(line) if letter == "."]
    return cells + ([{"swap": True}] if state["moves"] == 1 else [])


def seen(state):
    sight = {"board": state["board"], "stone": STONES[state["turn"]], "legal": legal_moves(state)}
    return [sight if state["won"] is None and state["turn"] == seat else None for seat in (0, 1)]


def joined(board, seat):
    """Tells whether the stones of this seat join its two sides."""
    size, last = len(board), len(board) - 1
    reached = [(0, at) if seat == 0 else (at, 0) for at in range(size)]
    reached = [(row, column) for row, column in reached if board[row][column] == STONES[seat]]
    known = set(reached)
    while reached:
        row, column = reached.pop()
        if (row if seat == 0 else column) == last:
            return True
        for down, right in NEIGHBORS:
            cell = (row + down, column + right)
            if (0 <= cell[0] < size and 0 <= cell[1] < size and cell not in known
                    and board[cell[0]][cell[1]] == STONES[seat]):
                known.add(cell)
                reached.append(cell)
    return False


def after(state, seat, move):
    board = state["board"]
    if move == {"swap": True}:
        # The first stone becomes one of the other seat, in the mirrored cell.
        row = next(at for at, line in enumerate(board) if "x" in line)
        column, board = board[row].index("x"), ["." * len(board)] * len(board)
    else:
        row, column = move["column"], move["row"]
    stone = STONES[seat]
    board = [line[:row] + stone + line[row + 1:] if at == column else line for at, line in enumerate(board)]
    won = seat if joined(board, seat) else None
    return {**state, "board": board, "turn": 1 - seat, "moves": state["moves"] + 1, "won": won}


def play(question):
    state, move = question["state"], question["move"]
    if json.dumps(move, sort_keys=True) not in {json.dumps(one, sort_keys=True) for one in legal_moves(state)}:
        return {"refused": f"put a stone into an empty cell, or swap the first stone, not {json.dumps(move)[:60]}"}
    new = after(state, question["seat"], move)
    answer = {"state": new, "observations": seen(new)}
    return {**answer, **text({"state": new})} if question.get("text") else answer


def observe(question):
    return {"observations": seen(question["state"])}


def result(question):
    state = question["state"]
    last = [{"board": state["board"], "won": state["won"]}] * 2
    return {"scores": [int(state["won"] == seat) for seat in (0, 1)], "observations": last}


def legal(question):
    return {"moves": legal_moves(question["state"])}


def text(question):
    return {"text": "\n".join(question["state"]["board"])}


ANSWERS = {f.__name__: f for f in (describe, deal, observe, play, result, legal, text)}

if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(ANSWERS[question["type"]](question)), flush=True)
