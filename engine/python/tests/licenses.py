"""Writes the licences of the crates in the extension: python tests/licenses.py > LICENSE-OTHERS."""

import json
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]


def text():
    """Returns the licence texts, each once, behind the crates that have it."""
    called = ["cargo", "tree", "--locked", "--offline", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    lines = subprocess.run(called, cwd=FOLDER, check=True, capture_output=True, text=True).stdout.splitlines()
    linked = {tuple(line.split()[:2]) for line in lines if line}
    called = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
    found = json.loads(subprocess.run(called, cwd=FOLDER, check=True, capture_output=True, text=True).stdout)
    texts = {}
    for package in sorted(found["packages"], key=lambda package: package["name"]):
        if package["source"] and (package["name"], f"v{package['version']}") in linked:
            crate = f"{package['name']} {package['version']}: {package['license']}"
            files = [path for path in sorted(Path(package["manifest_path"]).parent.iterdir()) if path.is_file()]
            files = [path for path in files if path.name.upper().startswith(("LICEN", "COPYING", "UNLICENSE"))]
            files = [path for path in files if "MIT" in path.name.upper()] or files  # one of several to choose from
            for own in [path.read_text().strip() for path in files] or ["(the crate has no licence text)"]:
                texts.setdefault(own, []).append(crate)
    return "".join("\n".join(crates) + f"\n\n{own}\n\n{'-' * 80}\n" for own, crates in texts.items())


if __name__ == "__main__":
    print(text(), end="")
