"""The examples: the bot is ready to play, and training writes weights that a bot plays."""

import subprocess
import sys
from pathlib import Path

import pytest

import quilt_engine
from conftest import MATCHES

pytestmark = pytest.mark.skipif(
    not Path(quilt_engine.__file__).resolve().is_relative_to(Path(sys.prefix).resolve()),
    reason="the sandbox shows bots the installed package, and this one is in its sources",
)
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def checked(arena, folder, *command, options=()):
    bot = " ".join([sys.executable, *command])
    called = [arena, "check", "--bot", bot, "--game", "patchwork", *options]
    done = subprocess.run(called, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "passed 24 of 24 checks" in done.stdout, done.stdout + done.stderr


def test_the_bot_is_ready_to_play(arena, tmp_path):
    (tmp_path / "bot.py").write_text((EXAMPLES / "bot.py").read_text())
    checked(arena, tmp_path, "bot.py")


@pytest.mark.skipif(MATCHES < 1000, reason="the second check is deep: QUILT_MATCHES=5000")
def test_a_trained_value_is_played(arena, tmp_path):
    few = ["--seconds", "1", "--tests", "1", "--matches", "10"]
    trained = subprocess.run(
        [sys.executable, EXAMPLES / "train.py", *few], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert trained.stdout.count(" games, ") == 2
    assert {path.name for path in tmp_path.iterdir()} == {"value.npz", "value.npz.csv", "value.npz.svg"}
    (tmp_path / "value_bot.py").write_text((EXAMPLES / "value_bot.py").read_text())
    checked(arena, tmp_path, "value_bot.py", "value.npz", options=["--read", "value.npz"])
