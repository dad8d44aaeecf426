"""Cache for the import structure of transformers.

On every import, transformers reads its 1,600 modules twice to find the names they define. That
takes half a second at every start, and in every child that checks a tokenizer. The result is saved
next to the package when the package is installed or bundled (`python -m
engine.text.import_structure`). Without a file for the installed version, transformers reads its
modules as usual.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

KEPT = "stretto-transformers.json"
_MODULE = "transformers.utils.import_utils"


def prepare() -> None:
    """Make the next import of transformers use the saved structure."""
    if "transformers" not in sys.modules and not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def save_structure(package: Path | None = None) -> Path:
    """Let transformers read its modules, save the result, and return the path.

    Args:
        package: folder of another copy of the same version, e.g. in a bundle (default: the
            installed copy).
    """
    import transformers
    from transformers.utils import import_utils

    package = package or _package()
    models = package / "models"
    auto = models / "auto"
    saved = {
        "version": transformers.__version__,
        "modules": {
            folder.relative_to(package).as_posix(): _to_json(
                import_utils.create_import_structure_from_path(str(folder))
            )
            for folder in (models, auto)
        },
    }
    file = package.parent / KEPT
    file.write_text(json.dumps(saved, separators=(",", ":")))
    return file


def _package() -> Path:
    spec = importlib.util.find_spec("transformers")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("transformers is not installed")
    return Path(spec.origin).parent


def _to_json(node: Any) -> Any:
    """Convert a module tree to JSON. Sets of packages, which are keys, become lists."""
    if isinstance(node, dict):
        return [
            [key if isinstance(key, str) else sorted(key), _to_json(below)]
            for key, below in node.items()
        ]
    return {"names": sorted(node)}


def _from_json(listed: Any) -> Any:
    if isinstance(listed, dict):
        return set(listed["names"])
    return {
        key if isinstance(key, str) else frozenset(key): _from_json(below) for key, below in listed
    }


class _Finder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _MODULE:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


class _Loader(Loader):
    """Loader that patches the module to read the saved structure."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        package = Path(str(module.__file__)).parents[1]
        source = _read(package)
        reads = getattr(module, "create_import_structure_from_path", None)
        if source is None or reads is None:
            return

        def structure_of(module_path: Any) -> Any:
            folder = Path(module_path)
            folder = folder.parent if folder.suffix else folder
            listed = source.get(folder)
            return reads(module_path) if listed is None else _from_json(listed)

        module.create_import_structure_from_path = structure_of  # type: ignore[attr-defined]


def _read(package: Path) -> dict[Path, Any] | None:
    try:
        saved = json.loads((package.parent / KEPT).read_bytes())
        if saved["version"] != getattr(sys.modules["transformers"], "__version__", None):
            return None
        return {package / folder: listed for folder, listed in saved["modules"].items()}
    except (OSError, ValueError, LookupError, TypeError):
        return None


if __name__ == "__main__":
    print(save_structure())
