"""A bot for five in a row: it takes any legal move. Its seed decides which."""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "protocol": 1, "name": "simple"}
    elif message["type"] == "start":
        chance = random.Random(message["seed"])
        answer = {"type": "ready"}
    elif message["type"] == "turn":
        move = chance.choice(message["state"]["legal"])
        answer = {"type": "move", "id": message["id"], "move": move}
    else:
        continue  # no other message needs an answer
    print(json.dumps(answer), flush=True)
