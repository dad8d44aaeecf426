"""Vision architectures can be imported from the parts of transformers in the bundle."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_IMPORT = """
import sys
sys.path.insert(0, "packaging")
import contents

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("transformers.") and not contents.wanted_module(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from engine.model import towers, vlm
for name in towers.FAMILIES:
    vlm.import_package({"model_type": name})
"""


def test_vision_models_import_from_bundle() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
