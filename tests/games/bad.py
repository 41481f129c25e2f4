"""Nim with one thing wrong, which the argument names: QUESTION:FAULT."""

import importlib.util
import json
import os
import pathlib
import sys
import time

place = pathlib.Path(__file__).with_name("rules.py")
spec = importlib.util.spec_from_file_location("rules", place)
rules = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rules)

where, wrong = sys.argv[1].split(":")


def spoilt(question, answer):
    if wrong == "hang":
        time.sleep(1000)
    elif wrong == "crash":
        print("it broke here", file=sys.stderr, flush=True)
        sys.exit(3)
    elif wrong == "close":
        os.close(1)
        time.sleep(1000)
    elif wrong == "noise":
        return "not JSON"
    elif wrong == "another":
        return json.dumps({**answer, "more": os.getpid()})
    elif wrong == "huge":
        return json.dumps({**answer, "more": "x" * 4_000_000})
    elif wrong == "growing" and "state" in answer:
        answer["state"]["ballast"] = answer["state"].get("ballast", "x" * 4096) * 2
    elif wrong == "negative":
        answer["seats"] = [-1, 2]
    elif wrong == "swapped":
        answer["seats"] = [3, 2]
    elif wrong == "named":
        answer["name"] = "../Nim"
    elif wrong == "liar":
        answer["ranks"] = [1 + score for score in answer["scores"]]
    elif wrong == "short":
        answer["scores"] = answer["scores"][:1]
    elif wrong == "twice":
        return json.dumps(answer) + "\n" + json.dumps(answer)
    elif wrong == "refuses":
        return json.dumps({"refused": "I do not like it"})
    elif wrong == "both":
        sight = next(filter(None, answer["observations"]), None)
        answer["observations"] = [sight, sight]
    elif wrong == "list" and "observations" in answer:
        answer["observations"] = [[1], None]
    elif wrong == "alike":
        answer["numbers"] = [1] * len(answer["moves"])
    elif wrong == "narrow":
        answer["spaces"] = {"array": "stones", "shape": [1], "low": 0, "high": 2, "moves": 3}
    elif wrong == "endless":
        answer = {"state": question["state"],
                  "observations": rules.seen({**question["state"], "turn": 1 - question["seat"]})}
        answer["state"]["turn"] = 1 - question["seat"]
    return json.dumps(answer)


for line in sys.stdin:
    question = json.loads(line)
    answer = rules.ANSWERS[question["type"]](question)
    print(spoilt(question, answer) if question["type"] == where else json.dumps(answer), flush=True)
