"""Plays Patchwork: random matches after each legal move, and the move with the best mean margin."""

import json
import sys

from quilt_engine import PatchworkRules

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"hello","protocol":1,"name":"playouts"}', flush=True)
    elif message["type"] == "start":
        rules, seat = PatchworkRules(line), message["seat"]
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        state = rules.state(message["state"], seat)
        actions, margins = state.playouts(max(1, min(64, 4000 // state.legal_count())), seed=message["id"])
        move = state.move_json(int(actions[margins.argmax()]))
        print('{"type":"move","id":%d,"move":%s}' % (message["id"], move), flush=True)
