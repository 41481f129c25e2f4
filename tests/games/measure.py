"""Prints what games that are programs cost the arena: python3 tests/games/measure.py ARENA COUNT_GAME [ROUNDS].

ARENA is the program from `cargo build --profile dist`, and COUNT_GAME the one from
`cargo build --release -p test-bots --example count-game`. Runs alternate. The processor time is that of the
arena alone, without its bots and the game.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ARENA, COUNT = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
NIM = f"{sys.executable} {pathlib.Path(__file__).with_name('nim.py').resolve()}"
GAMES = {
    "doodle": ["--jobs", "1"],
    "count-game": ["--jobs", "1", "--game-command", COUNT],
    "nim.py, two cores": ["--game-command", NIM],
}


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(options):
    """Returns microseconds of processor time for a decision, and decisions a second."""
    with tempfile.TemporaryDirectory() as folder:
        command = [ARENA, "tournament", "--quiet", "--reuse", "--seed", "3", "--rounds", str(ROUNDS),
                   "--bot", "a=random", "--bot", "b=random", "--out", "t", *options]
        begun, used = time.time(), 0
        arena = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        while arena.poll() is None:
            try:
                used = processor_time(arena.pid)
            except (OSError, IndexError):
                pass
            time.sleep(0.005)
        seconds = time.time() - begun
        text = pathlib.Path(folder, "t/matches.jsonl").read_text()
        decisions = text.count('"seat":')
    return used / decisions * 1e6, decisions / seconds


figures = {name: [] for name in GAMES}
for _ in range(5):
    for name, options in GAMES.items():
        figures[name].append(run(options))
for name, runs in figures.items():
    cost, rate = zip(*runs)
    print(f"{name:20} {statistics.median(cost):6.1f} us of the arena a decision ({min(cost):.1f} to {max(cost):.1f}), "
          f"{statistics.median(rate):7.0f} decisions a second ({min(rate):.0f} to {max(rate):.0f})")
