"""Nim as a game for the arena: players take stones in turn, and who takes the last one wins."""

import json
import random
import sys


def describe(question):
    return {"name": "nim", "version": "1", "seats": [2, 2], "supports": ["legal", "text"],
            "options": {"most": 3}}


def deal(question):
    stones = random.Random(question["seed"]).randint(15, 24)
    return {"state": {"stones": stones, "turn": 0, "most": question["options"]["most"]}}


def legal_moves(state):
    return [{"take": n} for n in range(1, min(state["most"], state["stones"]) + 1)]


def seen(state):
    """What each seat sees that has to move: only the one whose turn it is, if the match is not over."""
    sight = {"stones": state["stones"], "most": state["most"], "legal": legal_moves(state)}
    return [sight if state["stones"] and state["turn"] == seat else None for seat in (0, 1)]


def observe(question):
    return {"observations": seen(question["state"])}


def play(question):
    state, move = question["state"], question["move"]
    take = move.get("take")
    if not isinstance(take, int) or move not in legal_moves(state):
        return {"refused": f"take 1 to {len(legal_moves(state))} stones, not {json.dumps(take)}"}
    after = {**state, "stones": state["stones"] - take, "turn": 1 - state["turn"]}
    return {"state": after, "observations": seen(after)}


def result(question):
    state = question["state"]
    last = 1 - state["turn"]
    return {"scores": [int(state["stones"] == 0 and seat == last) for seat in (0, 1)]}


def legal(question):
    return {"moves": legal_moves(question["state"])}


def text(question):
    return {"text": "o" * question["state"]["stones"]}


ANSWERS = {f.__name__: f for f in (describe, deal, observe, play, result, legal, text)}

if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(ANSWERS[question["type"]](question)), flush=True)
