"""A race with hidden cards, right or with one mistake: python3 wrong.py [MISTAKE].

Each seat has three cards that no other seat sees. In turn, each plays a card and moves as many
spaces. The match is over when all cards are played, and the scores are the spaces.
"""

import json
import random
import sys
import time

MISTAKES = {
    "two-owe": "two seats owe a decision at once",
    "ranks-lie": "the ranks contradict the scores",
    "refuses-listed": "play refuses a move that legal lists",
    "refuses-other-form": "legal lists texts, and play takes only numbers",
    "endless": "played cards stay in the hand, so no match ends",
    "few-observations": "play answers one observation too few",
    "crash": "play reads a field that the state does not have, after three turns",
    "not-utf8": "the text has a byte 0xff",
    "float-score": "the scores are no integers",
    "bad-name": "the name has a capital and a space",
    "no-flush": "answers stay in the buffer",
    "no-state": "play answers without state",
    "chance-in-deal": "deal draws from a generator without the seed",
    "accepts-all": "play takes every move for the lowest card",
    "huge": "the state of play is longer than a line may be",
    "slow": "play sleeps in the fifth turn",
    "illegal-state": "the dealt state has a NaN, which is no JSON",
    "short-scores": "the last seat has no score",
    "forgets-withdraw": "withdraw is supported, and gets no answer",
    "answers-twice": "play is answered with two lines",
    "short-observations-of-observe": "observe answers one observation too few",
    "banner": "stdout begins with a line for people",
    "prints-debugging": "play prints a line for people before its answer",
    "chance-later": "deal seeds the generator, and play draws from it",
    "counter": "every seventh play of the process moves one space more",
    "state-as-field": "bots see the whole state as a field",
    "wrong-player": "play asks the seat that has just moved, and the state says the next one",
    "empty-reason": "refused is empty",
    "withdraw-changes-nothing": "withdraw still asks the seat that was put out",
    "seed-unused": "all deals are equal",
    "asks-withdrawn": "a later play asks a seat that was withdrawn",
    "cache": "play takes the hands that the process remembers of the last deal, not the state's",
    "last-question": "play moves further by the seat of the question before",
    "process-time": "play moves further by the time at which the process began",
    "set-order": "the legal moves have the order of a set of strings",
}

MISTAKE = sys.argv[1] if len(sys.argv) > 1 else None
if MISTAKE and MISTAKE not in MISTAKES:
    sys.exit(f"no mistake {MISTAKE}")

# What the mistakes keep in mind. The right game keeps nothing.
KEPT = {"plays": 0, "seat": 0, "hands": {}, "began": time.time_ns() % 1_000_000}


def describe(question):
    name = "My Race" if MISTAKE == "bad-name" else "race"
    return {"name": name, "version": "1", "seats": [2, 4],
            "supports": ["legal", "text", "withdraw"]}


def deal(question):
    seed, seats = question["seed"], question["seats"]
    if MISTAKE == "chance-later":
        random.seed(seed)
    if MISTAKE == "chance-in-deal":
        seed = None
    if MISTAKE == "seed-unused":
        seed = 1
    cards = random.Random(seed).sample(range(1, 21), 3 * seats)
    hands = [sorted(cards[seat::seats]) for seat in range(seats)]
    state = {"hands": hands, "places": [0] * seats, "turn": 0, "turns": 0}
    if MISTAKE == "illegal-state":
        state["record"] = float("nan")
    if MISTAKE == "cache":
        state["seed"] = seed
        KEPT["hands"] = {seed: hands}
    return {"state": state}


def legal_moves(hand):
    if MISTAKE == "refuses-other-form":
        return [{"card": str(card)} for card in hand]
    if MISTAKE == "set-order":
        return [{"card": int(card)} for card in {str(card) for card in hand}]
    return [{"card": card} for card in hand]


def following(hands, seat):
    """The next seat with cards, or None when all are played."""
    others = [(seat + n) % len(hands) for n in range(1, len(hands) + 1)]
    return next((other for other in others if hands[other]), None)


def seen(state):
    """What each seat sees: the one whose turn it is, until the match is over."""
    hands, turn = state["hands"], state["turn"]
    seats = range(len(hands))
    owe = [turn]
    if MISTAKE == "two-owe" and turn is not None:
        owe.append(following(hands, turn))
    sights = [{"hand": hands[seat], "places": state["places"], "legal": legal_moves(hands[seat])}
              for seat in seats]
    if MISTAKE == "state-as-field":
        sights = [{**sight, "game": state} for sight in sights]
    return [sights[seat] if seat in owe else None for seat in seats]


def observe(question):
    observations = seen(question["state"])
    if MISTAKE == "short-observations-of-observe":
        observations.pop()
    return {"observations": observations}


def spaces_more(seat):
    """How much further than its card a seat moves: never, in the right game."""
    if MISTAKE == "chance-later":
        return random.randint(0, 5)
    if MISTAKE == "counter":
        KEPT["plays"] += 1
        return int(KEPT["plays"] % 7 == 0)
    if MISTAKE == "last-question":
        return KEPT["seat"]
    if MISTAKE == "process-time":
        return KEPT["began"]
    return 0


def play(question):
    state, seat, card = question["state"], question["seat"], question["move"].get("card")
    hands, places = list(state["hands"]), list(state["places"])
    if MISTAKE == "prints-debugging":
        print("playing", question["move"], flush=True)
    if MISTAKE == "cache":
        hands = list(KEPT["hands"].get(state["seed"], hands))
    legal = type(card) is int and card in hands[seat] and len(question["move"]) == 1
    if MISTAKE == "refuses-listed" and card == max(hands[seat]):
        legal = False
    if MISTAKE == "accepts-all" and not legal:
        legal, card = True, hands[seat][0]
    if not legal:
        reason = f"play one of your cards {hands[seat]}, not {json.dumps(question['move'])[:60]}"
        return {"refused": "" if MISTAKE == "empty-reason" else reason}
    if MISTAKE == "slow" and state["turns"] == 4:
        time.sleep(30)
    if MISTAKE == "crash" and state["turns"] == 3:
        state["plcaes"]
    places[seat] += card + spaces_more(seat)
    if MISTAKE != "endless":
        hands[seat] = [other for other in hands[seat] if other != card]
    if MISTAKE == "cache":
        KEPT["hands"][state["seed"]] = hands
    after = {**state, "hands": hands, "places": places, "turn": following(hands, seat),
             "turns": state["turns"] + 1}
    if MISTAKE == "huge":
        after["log"] = "x" * 70_000
    observations = seen(after)
    if MISTAKE == "wrong-player" and hands[seat]:
        observations = seen({**after, "turn": seat})
    if MISTAKE == "few-observations":
        observations.pop()
    if MISTAKE == "no-state":
        return {"observations": observations}
    return {"state": after, "observations": observations}


def withdraw(question):
    state, seat = question["state"], question["seat"]
    if MISTAKE == "withdraw-changes-nothing":
        return {"state": state, "observations": seen(state)}
    hands = [[] if other == seat else hand for other, hand in enumerate(state["hands"])]
    turn = following(hands, seat) if state["turn"] == seat else state["turn"]
    after = {**state, "hands": hands, "turn": turn}
    observations = seen(after)
    if MISTAKE == "asks-withdrawn":
        after["hands"] = state["hands"]
    return {"state": after, "observations": observations}


def result(question):
    scores = list(question["state"]["places"])
    if MISTAKE == "ranks-lie":
        return {"scores": scores, "ranks": [1 + sum(s < score for s in scores) for score in scores]}
    if MISTAKE == "float-score":
        scores = [score / 2 for score in scores]
    if MISTAKE == "short-scores":
        scores.pop()
    return {"scores": scores}


def legal(question):
    return {"moves": legal_moves(question["state"]["hands"][question["seat"]])}


def text(question):
    state = question["state"]
    lines = [f"seat {seat}: {place} spaces, {len(state['hands'][seat])} cards"
             for seat, place in enumerate(state["places"])]
    return {"text": "\n".join(lines)}


ANSWERS = {f.__name__: f for f in (describe, deal, observe, play, withdraw, result, legal, text)}

if __name__ == "__main__":
    if MISTAKE == "banner":
        print("Race v1", flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        kind = question["type"]
        answer = json.dumps(ANSWERS[kind](question)).encode()
        if MISTAKE == "not-utf8" and kind == "text":
            answer = answer.replace(b"spaces", b"spaces \xff")
        if MISTAKE == "forgets-withdraw" and kind == "withdraw":
            continue
        if MISTAKE == "answers-twice" and kind == "play":
            answer += b"\n" + answer
        sys.stdout.buffer.write(answer + b"\n")
        if MISTAKE != "no-flush":
            sys.stdout.flush()
        KEPT["seat"] = question.get("seat", KEPT["seat"])
