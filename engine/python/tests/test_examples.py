"""The examples: bots are ready to play, and what is trained beats what it should."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import quilt_engine
from conftest import MATCHES

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
full = pytest.mark.skipif(MATCHES < 1000, reason="it learns for minutes: QUILT_MATCHES=5000")


@pytest.mark.skipif(
    not Path(quilt_engine.__file__).resolve().is_relative_to(Path(sys.prefix).resolve()),
    reason="the sandbox shows bots the installed package, and this one is in its sources",
)
def test_the_bot_is_ready_to_play(arena, tmp_path):
    (tmp_path / "bot.py").write_text((EXAMPLES / "bot.py").read_text())
    called = [arena, "check", "--bot", f"{sys.executable} bot.py", "--game", "patchwork"]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "passed 24 of 24 checks" in done.stdout, done.stdout + done.stderr


def _learned(name, *options):
    """Returns the mean scores and half intervals of random moves and of what was learned."""
    said = subprocess.run([sys.executable, EXAMPLES / name, *options], capture_output=True, text=True, check=True).stdout
    return [[float(number) for number in pair] for pair in re.findall(r": (\S+) ± (\S+)", said)]


@full
def test_a_learner_on_the_vector_form_scores_more_than_random():
    (random, half), (mean, spread) = _learned("vector.py", "--seconds", "120")
    assert mean - spread > random + half


@full
@pytest.mark.skipif(importlib.util.find_spec("sb3_contrib") is None, reason="sb3-contrib is not installed")
def test_maskable_ppo_scores_more_than_random():
    (random, half), (mean, spread) = _learned("ppo.py")
    assert mean - spread > random + half
