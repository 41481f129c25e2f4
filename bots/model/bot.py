"""A bot that asks a language model for each move: a chat endpoint, or a program. README.md says how."""
import json
import os
import shlex
import subprocess
import sys
import urllib.request

import quilt

RULES = {
    "doodle": """You play Patchwork Doodle. "#" is a covered cell of your board, "." an empty one.
Draw one card of "offer": its shape, turned or flipped in any way, on empty cells of your board.
Covered rectangles score: cover them without holes. Your move is {"card": ID, "cells": [[row, column], ...]},
or {"pass": true} if nothing fits. Rows and columns are 0 to 8.""",
    "patchwork": """You play Patchwork. "#" is a covered cell of your board, "." an empty one.
In the phase "turn", buy one of the first three patches of "circle" that you can pay, and lay it, turned or
flipped in any way, on empty cells: {"buy": ID, "cells": [[row, column], ...]}; or take buttons:
{"advance": true}. In the phase "leather", cover any empty cell: {"leather": [row, column]}.
Empty cells cost two points each. Rows and columns are 0 to 8.""",
}


def prompt(start, state, refusal):
    """What the model reads: the rules in short, the shapes on offer, the state, and why it is asked again."""
    wanted = state["offer"] if start["game"] == "doodle" else state["circle"][:3]
    patches = start.patches()
    lines = [
        RULES[start["game"]],
        f"You are player {start['seat']}.",
        "Shapes: " + json.dumps({name: patches[name] for name in wanted}),
        "State: " + json.dumps(state),
        "Think, and end with your move as one JSON object.",
    ]
    if refusal:
        lines.append(f"Your last answer was refused ({refusal['kind']}): {refusal['detail']}")
    return "\n".join(lines)


def ask(text):
    """The answer of the model."""
    if "MODEL_COMMAND" in os.environ:
        command = shlex.split(os.environ["MODEL_COMMAND"])
        return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    body = {"model": os.environ.get("MODEL", ""), "messages": [{"role": "user", "content": text}]}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("API_KEY", "")}
    request = urllib.request.Request(os.environ["MODEL_URL"], json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def last_object(text):
    """The last JSON object in a text, or an empty one: the arena refuses it with a reason."""
    found, end = {}, 0
    for begin in (place for place, letter in enumerate(text) if letter == "{"):
        if begin >= end:
            try:
                found, end = json.JSONDecoder().raw_decode(text, begin)
            except ValueError:
                pass
    return found


def decide(start, state, refusal=None):
    if "MODEL_COMMAND" in os.environ or "MODEL_URL" in os.environ:
        return last_object(ask(prompt(start, state, refusal)))
    return first_move(start, state)


def first_move(start, state):
    """A legal move without a model, so that everything else can be tried first."""
    board = state["players"][start["seat"]]["board"]
    if state["phase"] == "leather":
        return {"leather": next(quilt.placements(["X"], board))[0]}
    if start["game"] == "patchwork":
        return {"advance": True}
    for card in state["offer"]:
        for cells in quilt.placements(start.patches()[card]["cells"], board):
            return {"card": card, "cells": cells}
    return {"pass": True}


if "MODEL_COMMAND" not in os.environ and "MODEL_URL" not in os.environ:
    print("no model: set MODEL_URL or MODEL_COMMAND", file=sys.stderr)
quilt.run("model", decide, again=decide)
