"""Plays Patchwork with the weights that `train.py` wrote: the move after which its value is highest.

arena check "python value_bot.py value.npz" --game patchwork --read value.npz
"""

import json
import sys

import numpy as np

from quilt_engine import PATCHWORK_SCALE, PATCHWORK_SLICES, PatchworkRules

seen = np.delete(np.arange(len(PATCHWORK_SCALE)), PATCHWORK_SLICES["circle"])
scale = np.array(PATCHWORK_SCALE, np.float32)[seen]
with np.load(sys.argv[1] if len(sys.argv) > 1 else "value.npz") as weights:
    first, bias, second = (weights[name] for name in ("first", "bias", "second"))

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"hello","protocol":1,"name":"value"}', flush=True)
    elif message["type"] == "start":
        rules, seat = PatchworkRules(line), message["seat"]
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        state = rules.state(message["state"], seat)
        actions, rows = state.afterstates()
        values = np.maximum(rows[:, seen] / scale @ first + bias, 0) @ second
        move = state.move_json(int(actions[values[:, 0].argmax()]))
        print('{"type":"move","id":%d,"move":%s}' % (message["id"], move), flush=True)
