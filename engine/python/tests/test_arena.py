"""Policies play in the arena and are measured as its tables do; features and pictures of any state exist."""

import base64
import json
import subprocess
import sys

import numpy as np
import pytest

import quilt_engine as q
from quilt_engine import Bot, DoodleRules, PatchworkRules, PatchworkState, evaluate

BOT = "import sys, quilt_engine as q; bot = q.Bot({!r}); q.run('mine', lambda state: print('thinking') or {})"
CHOICES = {
    "patchwork": ["bot.choose(state)", "bot.choose(state)"],
    # All numbers of a move, and one after the other.
    "doodle": ["bot.choose_steps(state)", "state.legal_actions()[-1]"],
}


@pytest.mark.parametrize("game", CHOICES)
def test_a_policy_speaks_the_protocol(game, decisions):
    for choice in CHOICES[game]:
        lines, wanted = [{"type": "hello", "protocol": 1}], []
        rules = {"patchwork": PatchworkRules, "doodle": DoodleRules}[game]()
        for line in [line for line in decisions(game) if line["match"] < 4]:
            setup = {"leather": "original"} if game == "patchwork" else {"start_cards": "dealt"}
            lines.append({"type": "start", "game": game, "seat": line["seat"], "rules": setup})
            lines += [{"type": kind, "id": line["id"], "state": line["state"]} for kind in ("turn", "retry", "end")]
            state = rules.state(line["state"], line["seat"])
            if game == "patchwork":
                move = state.move(Bot("greedy").choose(state))
            else:
                steps = Bot("greedy").choose_steps(state) if "bot" in choice else iter(state.legal_actions, None)
                while not state.step(0, next(steps)[-1] if "bot" not in choice else steps.pop(0)):
                    pass
                move = state.last_move()
            wanted += [{"type": "ready"}] + 2 * [{"type": "move", "id": line["id"], "move": move}]
        command = [sys.executable, "-c", BOT.format("greedy", choice)]
        text = "".join(json.dumps(line) + "\n" for line in [*lines, {"type": "quit"}])
        said = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        hello, *answers = map(json.loads, said.stdout.splitlines())
        assert hello == {"type": "hello", "protocol": 1, "name": "mine", "solitary": True}
        assert answers == wanted and len(wanted) > 30 and said.stderr.startswith("thinking\n")


def test_a_policy_has_the_interval_of_the_table(arena, tmp_path):
    (tmp_path / "mine.py").write_text("import quilt_engine as q; q.run('mine', lambda state: state.legal_actions()[-9:][0])")
    called = [arena, "tournament", "--quiet", "--game", "patchwork", "--bot", f"mine={sys.executable} mine.py"]
    called += ["--bot", "greedy", "--contain", "off", "--reuse", "--rounds", "10", "--out", "out"]
    subprocess.run(called, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    rows = json.loads((tmp_path / "out/standings.json").read_text())["rows"]
    row = next(row for row in rows if row["bot"] == "mine")
    records = map(json.loads, (tmp_path / "out/matches.jsonl").read_text().splitlines())
    deals = list(dict.fromkeys(record["seed"] for record in records))
    found = evaluate(lambda state: state.legal_actions()[-9:][0], "greedy", deals)
    assert found.matches == row["matches"] == 20 and sum(row["faults"].values()) == 0
    assert (100 * found.won, found.margin) == pytest.approx((row["points"], row["mean_margin"]), abs=0.001)
    assert found.margin_interval == pytest.approx(row["margin_ci95"], abs=0.01)


def test_doodle_is_measured_too():
    found = evaluate(Bot("greedy").choose_steps, "novice", 8, game="doodle")
    other = evaluate(Bot("novice", seed=1).choose_steps, "greedy", 8, game="doodle")
    assert found.matches == 16 and found.margin > 0 > other.margin and found.won > 0.5
    assert found.margin_interval[0] < found.margin < found.margin_interval[1]


def test_policies_meet_policies_and_checked_bots():
    first = evaluate(lambda state: state.legal_actions()[0], lambda state: state.legal_actions()[0], 3)
    assert (first.matches, first.won, first.margin) == (6, 0.5, 0) and first.won_interval == (-np.inf, np.inf)
    with pytest.raises(ValueError, match='nodes: "master" would search by the clock'):
        evaluate(Bot("greedy").choose, "master")
    other = PatchworkRules({"game": "patchwork", "rules": {"leather": "revised"}})
    seen = []
    evaluate(lambda state: seen.append(state.rules == other) or state.legal_actions()[-1], "random", 1, rules=other)
    assert all(seen) and seen


def test_features_of_any_components_have_their_shape():
    assert PatchworkRules().is_standard and DoodleRules().is_standard and not DoodleRules(shared=True).is_standard
    long = [{"id": f"L{n}", "cells": ["XXXXXXX"], "buttons": 1, "time": 1, "income": 0} for n in range(40)]
    rules = PatchworkRules({"rules": {"leather": "original"}, "patches": long, "track": {"last": 30, "income": [5], "leather": [9]}})
    assert not rules.is_standard and rules.patch_table().shape == (41, 29)
    assert rules.patch_table()[1, 3] == 7 and rules.patch_table()[1, -25:].sum() == 5
    state = PatchworkState(1, rules)
    assert (state.observation()[q.PATCHWORK_SLICES["circle"]] > 0).all()
    assert state.observation(planes=True).shape == (431,) and state.afterstates()[1].shape[1] == 212
    batch = q.PatchworkBatch(2, rules=rules, planes=True)
    assert (batch.observation[0] == PatchworkState(0, rules).observation(planes=True)).all() and len(batch.afterstates()[0])
    cards = {"starts": [{"id": "S1", "cells": ["XX"]}], "patches": [{"id": f"C{n:02}", "cells": ["XXXXXX"]} for n in range(40)]}
    rules = DoodleRules({"rules": {"start_cards": "shared"}, "cards": cards})
    assert not rules.is_standard and rules.card_table().shape == (42, 26)
    state = q.DoodleState(1, 1, rules)
    assert state.observation()[q.DOODLE_SLICES["unseen"]].sum() == sum(
        int(card[1:]) < 30 for card in json.loads(state.state_json())["unseen"]
    )
    assert q.DoodleBatch(2, rules=rules).observation.shape == (2, 217)


@pytest.mark.parametrize("state", [PatchworkState(3), q.DoodleState(2, 3)])
def test_notebooks_show_a_picture(state):
    kind, text = state._repr_html_().removesuffix('">').split("base64,")
    file = base64.b64decode(text)
    assert kind.startswith('<img alt="Patchwork') and file.startswith(b"\x89PNG\r\n\x1a\n")
    assert [int.from_bytes(file[at : at + 4], "big") for at in (16, 20)] == [600, 400]
