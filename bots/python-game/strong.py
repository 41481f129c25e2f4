"""A bot for five in a row: it completes its line, or blocks a line, or goes to the centre."""

import json
import sys

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def longest(board, move, stone):
    """Returns the length of the longest line that a stone in this cell is part of."""
    lengths = []
    for down, right in DIRECTIONS:
        lengths.append(1)
        for way in (1, -1):
            r, c = move["row"] + way * down, move["column"] + way * right
            while 0 <= r < len(board) and 0 <= c < len(board) and board[r][c] == stone:
                lengths[-1] += 1
                r, c = r + way * down, c + way * right
    return max(lengths)


def distance(board, move):
    """Returns the squared distance from the centre of the board."""
    centre = (len(board) - 1) / 2
    return (move["row"] - centre) ** 2 + (move["column"] - centre) ** 2


def decide(state):
    """Returns the best move by a few simple rules. Write your strategy here."""
    board, mine = state["board"], state["you"]
    for stone in (mine, "o" if mine == "x" else "x"):
        for move in state["legal"]:
            if longest(board, move, stone) >= state["length"]:
                return move
    return min(state["legal"], key=lambda move: distance(board, move))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "protocol": 1, "name": "strong"}
    elif message["type"] == "start":
        answer = {"type": "ready"}
    elif message["type"] == "turn":
        answer = {"type": "move", "id": message["id"], "move": decide(message["state"])}
    else:
        continue  # no other message needs an answer
    print(json.dumps(answer), flush=True)
