"""Data of the arena that tests compare with."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
#: Matches of each game that are compared with the engine; QUILT_MATCHES sets more.
MATCHES = int(os.environ.get("QUILT_MATCHES", "200"))


@pytest.fixture(scope="session")
def arena():
    """The program."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target"))
    programs = [target / profile / "arena" for profile in ("debug", "release", "dist")]
    built = [program for program in programs if program.exists()]
    if not built:
        pytest.skip("no program to compare with: run cargo build in the folder above")
    return max(built, key=lambda program: program.stat().st_mtime)


def _played(arena, folder, game):
    """Plays a tournament in which each bot keeps what it hears."""
    out = folder / game
    played = [arena, "tournament", "--quiet", "--game", game, "--seed", "11", "--rounds", str(max(1, MATCHES // 2))]
    exact = ["--seats", "2", "--no-solitary", "--contain", "off", "--jobs", "1", "--out", out]
    bots = []
    for name in ("random", "other"):
        pipe = f"tee -a {shlex.quote(f'{out}.{name}')} | exec {shlex.quote(str(arena))} bots random"
        bots += ["--bot", f"{name}=sh -c {shlex.quote(pipe)}"]
    subprocess.run([*played, *exact, *bots], check=True, stdout=subprocess.DEVNULL)
    return out


@pytest.fixture(scope="session")
def journals(arena, tmp_path_factory):
    """A tournament of each game between random bots."""
    folder = tmp_path_factory.mktemp("journals")
    return {game: _played(arena, folder, game) for game in ("patchwork", "doodle")}


def _heard(path):
    """Returns what a bot was asked in each match, by the ids of its decisions."""
    matches = []
    for line in map(json.loads, path.read_text().splitlines()):
        if line["type"] == "start":
            matches.append({})
        elif line["type"] == "turn":
            matches[-1][line["id"]] = line["state"]
    return iter(matches)


def _points(game, state, seat):
    """Counts the points of a seat in a state, as the rules say."""
    player = state["players"][seat]
    empty = "".join(player["board"]).count(".")
    if game == "doodle":
        return sum(player["rounds"]) - empty
    return player["buttons"] - 2 * empty + (7 if state["bonus"] == seat else 0)


@pytest.fixture(scope="session")
def decisions(journals):
    """Returns the decisions of a game with the states that bots heard, one after the other."""

    def lines(game):
        journal = journals[game]
        heard = {name: _heard(Path(f"{journal}.{name}")) for name in ("random", "other")}
        for record in map(json.loads, (journal / "matches.jsonl").read_text().splitlines()):
            states = [next(heard[name]) for name in record["bots"]]
            for turn in record["turns"]:
                seat, score = turn["seat"], record["result"]["scores"][turn["seat"]]
                state = states[seat][turn["id"]]
                line = {"match": record["match"], "id": turn["id"], "seat": seat, "state": state}
                yield line | {"move": turn["move"], "score": score, "to_come": score - _points(game, state, seat)}

    return lines
