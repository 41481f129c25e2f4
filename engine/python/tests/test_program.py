"""A game of the user is an environment: the same observations, legal moves, and scores as in the arena."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test

from quilt_engine.program import ProgramEnv

GAMES = Path(__file__).resolve().parents[3] / "tests/games"
SPACES = {"array": "stones", "shape": [1], "low": 0, "high": 24, "moves": 4}


@pytest.fixture
def nim(tmp_path):
    """Nim with `spaces`; the number of a move is how many stones it takes."""
    text = (GAMES / "nim.py").read_text()
    text = text.replace('"options": {"most": 3}', f'"options": {{"most": 3}}, "spaces": {json.dumps(SPACES)}')
    text = text.replace('return {"moves": legal_moves(question["state"])}', 'moves = legal_moves(question["state"])\n    return {"moves": moves, "numbers": [move["take"] for move in moves]}')
    (tmp_path / "nim.py").write_text(text)
    return [sys.executable, str(tmp_path / "nim.py")]


def _recorded(arena, command, folder):
    """Returns the matches of a tournament, and the observations that its bots heard."""
    names = ("one", "two")
    bots = [word for name in names for word in ("--bot", f"{name}=sh -c 'tee -a {folder / name} | exec {arena} bots random'")]
    called = [arena, "tournament", "--quiet", "--game-command", " ".join(command), "--contain", "off", "--jobs", "1"]
    subprocess.run([*called, *bots, "--rounds", "5", "--out", folder / "out"], check=True, stdout=subprocess.DEVNULL)
    heard = {name: map(json.loads, (folder / name).read_text().splitlines()) for name in names}
    records = [json.loads(line) for line in (folder / "out/matches.jsonl").read_text().splitlines()]
    return records, {name: (line["state"] for line in lines if line["type"] == "turn") for name, lines in heard.items()}


def test_recorded_matches_are_played_alike(arena, nim, tmp_path):
    for command, has_spaces in ((nim, True), ([sys.executable, str(GAMES / "hex.py")], False)):
        folder = tmp_path / str(has_spaces)
        folder.mkdir()
        records, heard = _recorded(arena, command, folder)
        if has_spaces:
            env = ProgramEnv(command)
        else:
            with pytest.warns(UserWarning, match="no `spaces` in `describe`"):
                env = ProgramEnv(command)
        for record in records:
            env.reset(options={"deal": record["seed"]})
            for turn in record["turns"]:
                agent, seen = f"player_{turn['seat']}", next(heard[record["bots"][turn["seat"]]])
                legal = env.infos[agent]["legal"]
                assert env.agent_selection == agent and legal == seen["legal"]
                if has_spaces:
                    shown = env.observe(agent)
                    assert shown["observation"] == [seen["stones"]] and env.observation_space(agent).contains(shown)
                    assert np.flatnonzero(shown["action_mask"]).tolist() == [move["take"] for move in legal]
                else:
                    assert json.loads(env.observe(agent)) == seen
                env.step(turn["move"]["take"] if has_spaces else legal.index(turn["move"]))
            assert [env.infos[agent]["score"] for agent in env.possible_agents] == record["result"]["scores"]
            assert [env.infos[agent]["rank"] for agent in env.possible_agents] == record["result"]["ranks"]
            assert all(env.terminations.values()) and sum(env.rewards.values()) == sum(record["result"]["scores"])
        env.close()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_program_passes_the_checks_of_the_library(nim):
    env = ProgramEnv(nim, options={"most": 2})
    api_test(env, num_cycles=100)
    env.reset(options={"deal": 7})
    assert set(env.render()) == {"o"} and len(env.infos["player_0"]["legal"]) == 2
    with pytest.raises(ValueError, match=r"action: 3 is not legal, but \[1, 2\]"):
        env.step(3)
    env.close()


def test_a_program_that_ends_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match="no answer to `describe`"):
        ProgramEnv([sys.executable, "-c", ""])
    (tmp_path / "bare.py").write_text('print(\'{"name":"bare","seats":[1,1],"supports":[]}\', flush=True); input()')
    with pytest.raises(ValueError, match="command: the game does not answer `legal`"):
        ProgramEnv([sys.executable, str(tmp_path / "bare.py")])
