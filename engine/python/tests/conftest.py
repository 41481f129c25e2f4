"""Data of the arena that tests compare with."""

import json
import os
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
    out = folder / game
    played = [arena, "tournament", "--quiet", "--game", game, "--seed", "11", "--rounds", str(max(1, MATCHES // 2))]
    bots = ["--bot", "random", "--bot", "other=random", "--seats", "2", "--out", out]
    subprocess.run([*played, *bots], check=True, stdout=subprocess.DEVNULL)
    return out


@pytest.fixture(scope="session")
def journals(arena, tmp_path_factory):
    """A tournament of each game between random bots."""
    folder = tmp_path_factory.mktemp("journals")
    return {game: _played(arena, folder, game) for game in ("patchwork", "doodle")}


@pytest.fixture(scope="session")
def exported(arena, journals):
    """Returns the exported decisions of a game, one after the other."""

    def lines(game):
        command = [arena, "export", journals[game], "--states"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as export:
            yield from map(json.loads, export.stdout)

    return lines
