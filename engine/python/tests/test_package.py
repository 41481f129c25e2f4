"""The package has the licences of all code in it."""

import importlib.metadata
import shutil

import pytest

import licenses


def test_licence_texts_are_in_the_package():
    files = [path for path in importlib.metadata.files("quilt-engine") if "licenses" in path.parts]
    assert {path.name for path in files} == {"LICENSE-MIT", "LICENSE-APACHE", "LICENSE-OTHERS"}
    texts = {path.name: path.read_text() for path in files}
    assert texts["LICENSE-MIT"].startswith("MIT License") and "Apache License" in texts["LICENSE-APACHE"]
    for crate in ("pyo3", "numpy", "serde_json", "miniz_oxide"):
        assert f"\n{crate} " in texts["LICENSE-OTHERS"]


def test_the_licences_are_those_of_the_crates():
    if not shutil.which("cargo"):
        pytest.skip("no cargo, which knows the crates")
    assert (licenses.FOLDER / "LICENSE-OTHERS").read_text() == licenses.text(), licenses.__doc__
