"""The documents are played: the page from an empty environment, word for word, with smaller numbers unless QUILT_MATCHES is large."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import MATCHES

TOP = Path(__file__).resolve().parents[3]
PAGE, README = TOP / "docs/guide/python.md", TOP / "engine/python/README.md"
SMALLER = [("1024", "8"), ("100)", "5)"), ("playouts(16)", "playouts(1)"), ("--rounds 500", "--rounds 3")]
SMALLER += [("--rounds 10", "--rounds 2"), ("--seconds 600", "--seconds 10"), ("--opponent novice", "--opponent random")]


def blocks(path):
    return re.findall(r"```(sh|python)\n(.*?)```", path.read_text(), re.DOTALL)


def played(script, folder, path):
    env = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH", "CARGO_TARGET_DIR")}
    env |= {"PATH": f"{path}:/usr/local/bin:/usr/bin:/bin:{Path.home()}/.cargo/bin", "CARGO_TARGET_DIR": str(folder / "target")}
    done = subprocess.run(["bash", "-eu"], input=script, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_is_played_from_an_empty_environment(arena, tmp_path):
    script, is_full = "", MATCHES >= 1000
    for language, text in blocks(PAGE):
        script += text if language == "sh" else f"python - <<'END'\n{text}END\n"
    if not is_full:
        wheel = os.environ.get("QUILT_WHEEL")
        if not wheel:
            pytest.skip("no built package: .ci/python sets QUILT_WHEEL")
        for large, small in [*SMALLER, ("./engine/python[zoo]", f"{wheel}[zoo]")]:
            assert large in script or large.startswith("playouts"), large
            script = script.replace(large, small)
    # Tournaments go into the folder `results` of the page.
    for path in TOP.iterdir():
        if path.name not in ("target", ".git", ".venv", "results"):
            (tmp_path / path.name).symlink_to(path)
    said = played(script, tmp_path, arena.parent)
    assert "passed 24 of 24 checks" in said and said.count("mine") >= 1
    low = re.search(r"of 400 matches won against \w+, at 95 % ([\d.]+)% to", said)
    assert float(low[1]) > 50, low[0]


@pytest.mark.parametrize("code", [text for language, text in blocks(README) if language == "python"])
def test_a_block_of_the_readme_runs(code):
    for large, small in SMALLER:
        code = code.replace(large, small)
    exec(compile(code, "document", "exec"), {})


#: Runs cells as a notebook does, and prints what it would show.
RUNNER = """
import ast, json, sys
names = {}
for cell in json.load(sys.stdin):
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        print(getattr(value, "_repr_html_", lambda: repr(value))()[:40])
"""


def test_the_notebook_runs():
    cells = json.loads((TOP / "engine/python/examples/tour.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    done = subprocess.run([sys.executable, "-c", RUNNER], input=json.dumps(code), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("<img alt=") == 2 and "Evaluation(matches=16" in done.stdout


def test_the_page_is_short():
    assert len(PAGE.read_bytes()) <= 8_000
