"""Five in a row as a game for the arena: the first seat with five stones in a line wins."""

import json
import random
import sys

STONES = "xo"  # of seat 0 and of seat 1
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def describe(question):
    return {"name": "five-in-a-row", "version": "1", "seats": [2, 2],
            "supports": ["legal", "text", "seat-text", "play-text", "withdraw"],
            "options": {"size": 9, "length": 5},
            "board": {"cells": "square", "row": "row", "column": "column",
                      "colours": {"x": "#2f5d8c", "o": "#b5482f", "#": "#555555"}}}


def deal(question):
    """Blocks two cells by chance, so that bots without chance play each deal differently."""
    size, length = question["options"]["size"], question["options"]["length"]
    if not 3 <= length <= size <= 19:
        sys.exit(f"size must be 3 to 19 and length 3 to size, not size {size} and length {length}")
    board = ["." * size] * size
    for cell in random.Random(question["seed"]).sample(range(size * size), 2):
        board = put(board, cell // size, cell % size, "#")
    return {"state": {"board": board, "length": length, "turn": 0, "last": None, "won": None}}


def put(board, row, column, letter):
    """Returns the board with a letter in a cell."""
    line = board[row][:column] + letter + board[row][column + 1:]
    return board[:row] + [line] + board[row + 1:]


def legal_moves(state):
    return [{"row": row, "column": column} for row, line in enumerate(state["board"])
            for column, letter in enumerate(line) if letter == "."]


def seen(state):
    """Returns what each seat sees: the one whose turn it is, until the match is over."""
    moves = legal_moves(state) if state["won"] is None else []
    sight = {"board": state["board"], "you": STONES[state["turn"]], "length": state["length"],
             "legal": moves}
    return [sight if moves and state["turn"] == seat else None for seat in (0, 1)]


def observe(question):
    return {"observations": seen(question["state"])}


def refusal(board, move):
    """Returns why a move is illegal, or None. To Python True is a 1, but not to the game."""
    text, end = json.dumps(move)[:100], len(board) - 1
    if set(move) != {"row", "column"}:
        return f'a move is {{"row": 0, "column": 0}} with your numbers, not {text}'
    if not all(type(number) is int and 0 <= number <= end for number in move.values()):
        return f"row and column must be integers from 0 to {end}, not {text}"
    row, column = move["row"], move["column"]
    if board[row][column] != ".":
        return f'cell [{row},{column}] has "{board[row][column]}"; take an empty cell: "."'
    return None


def longest(board, row, column, stone):
    """Returns the length of the longest line that a stone in this cell is part of."""
    lengths = []
    for down, right in DIRECTIONS:
        lengths.append(1)
        for way in (1, -1):
            r, c = row + way * down, column + way * right
            while 0 <= r < len(board) and 0 <= c < len(board) and board[r][c] == stone:
                lengths[-1] += 1
                r, c = r + way * down, c + way * right
    return max(lengths)


def play(question):
    state, seat, move = question["state"], question["seat"], question["move"]
    reason = refusal(state["board"], move)
    if reason:
        return {"refused": reason}
    row, column, stone = move["row"], move["column"], STONES[seat]
    won = seat if longest(state["board"], row, column, stone) >= state["length"] else None
    after = {**state, "board": put(state["board"], row, column, stone), "turn": 1 - seat,
             "last": [row, column], "won": won}
    answer = {"state": after, "observations": seen(after)}
    return {**answer, **text({"state": after})} if question.get("text") else answer


def withdraw(question):
    """Ends the match: the other seat wins."""
    after = {**question["state"], "won": 1 - question["seat"]}
    return {"state": after, "observations": seen(after)}


def result(question):
    return {"scores": [int(question["state"]["won"] == seat) for seat in (0, 1)]}


def legal(question):
    return {"moves": legal_moves(question["state"])}


def text(question):
    """Returns the board as lines. All seats may see all of it."""
    return {"text": "\n".join(question["state"]["board"])}


ANSWERS = {f.__name__: f for f in (describe, deal, observe, play, withdraw, result, legal, text)}

if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(ANSWERS[question["type"]](question)), flush=True)
