# The least that a bot in Python does: it draws its start card in the corner, and then passes.
import json, sys

starts = {}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        say({"type": "hello", "protocol": 1})
    elif kind == "start":
        starts = {card["id"]: card["cells"] for card in message["cards"]["starts"]}
        say({"type": "ready"})
    elif kind == "turn":
        move = {"pass": True}
        if message["state"]["phase"] == "start":
            card = message["state"]["offer"][0]
            rows = enumerate(starts[card])
            cells = [[row, col] for row, text in rows for col, cell in enumerate(text) if cell == "X"]
            move = {"card": card, "cells": cells}
        say({"type": "move", "id": message["id"], "move": move})
    elif kind == "quit":
        break
