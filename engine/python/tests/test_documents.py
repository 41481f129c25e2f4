"""The Python in the documents runs, with smaller numbers."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
DOCUMENTS = [TOP / "docs/guide/python.md", TOP / "engine/python/README.md"]
SMALLER = [("1024", "8"), ("1000", "5"), ("100", "5"), ("playouts(16)", "playouts(1)")]


def blocks():
    for path in DOCUMENTS:
        yield from re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


@pytest.mark.parametrize("code", list(blocks()))
def test_a_block_runs(code):
    for large, small in SMALLER:
        code = code.replace(large, small)
    exec(compile(code, "document", "exec"), {})


def test_the_documents_have_blocks():
    assert len(list(blocks())) >= 4
