"""Reading the list of transformers' modules from a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

PACKAGE = """
__version__ = "1.0"
import pathlib, sys
from .utils.import_utils import create_import_structure_from_path as read
found = read(str(pathlib.Path(__file__).parent / "models"))
"""
READS = """
from pathlib import Path
read = 0
def create_import_structure_from_path(path):
    global read
    read += 1
    models = {"llama": {frozenset(): {"config_llama": {"LlamaConfig"}}}}
    return models if Path(path).name == "models" else {frozenset({"torch", "x"}): {"a": {"B", "C"}}}
"""
ASKED = """
import sys
from engine.text import import_structure
import_structure.prepare()
import_structure.prepare()
import transformers
from transformers.utils import import_utils
auto = import_utils.create_import_structure_from_path(
    transformers.__path__[0] + "/models/auto/__init__.py"
)
print(import_utils.read, sorted(transformers.found), sorted(auto.popitem()[0]), auto)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = tmp_path / "transformers"
    for folder in (made, made / "utils", made / "models", made / "models" / "auto"):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (made / "__init__.py").write_text(PACKAGE)
    (made / "utils" / "import_utils.py").write_text(READS)
    return tmp_path


def run(package: Path, code: str) -> str:
    environment = {"PYTHONPATH": f"{package}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    asked = [sys.executable, "-c", code]
    ran = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_stored_structure_equals_scanned_structure(package: Path) -> None:
    before = run(package, ASKED)
    assert before.startswith("2 ['llama'] ['torch', 'x']")
    run(package, "from engine.text import import_structure; import_structure.save_structure()")
    assert run(package, ASKED) == "0" + before[1:]


@pytest.mark.parametrize("damage", ["another version", "no JSON", "another shape"])
def test_foreign_structure_file_is_ignored(package: Path, damage: str) -> None:
    run(package, "from engine.text import import_structure; import_structure.save_structure()")
    kept = package / "stretto-transformers.json"
    told = json.loads(kept.read_text())
    damaged = {
        "another version": json.dumps({**told, "version": "2.0"}),
        "no JSON": kept.read_text()[:-9],
        "another shape": "[1]",
    }
    kept.write_text(damaged[damage])
    assert run(package, ASKED).startswith("2 ['llama']")


def test_installed_package_matches_its_own_scan() -> None:
    """Compare the names, the modules and the requirements of each module."""
    code = """
from engine.text import import_structure
import transformers
from transformers.utils import import_utils
package = import_structure._package()
for folder in (package / "models", package / "models" / "auto"):
    read = import_utils.create_import_structure_from_path(str(folder))
    assert import_structure._from_json(import_structure._to_json(read)) == read
print("same", len(read))
"""
    assert run(ROOT, code).startswith("same")
