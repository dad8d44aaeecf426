"""Lists of the modules, files and libraries in the frozen app."""

from __future__ import annotations

import ctypes.util
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import bootstrap
import languages

from app.system import licenses
from app.system.crash import PACKAGES
from engine.kernels import build

# Packages whose version is read at run time, by our reports or by checks of transformers.
METADATA = (
    *PACKAGES,
    *("filelock", "numpy", "packaging", "pyyaml", "regex", "safetensors", "tqdm"),
    "keyring",  # it finds its backends by entry points
)

# Packages that some modules import if available, but never need.
EXCLUDED = [
    *("tkinter", "turtle", "idlelib", "lib2to3", "ensurepip", "pip", "setuptools", "wheel"),
    *("pytest", "_pytest", "pytestqt", "hypothesis", "mypy", "ruff", "PyInstaller"),
    # clients of the engine's server, for its tests
    *("openai", "anthropic", "jiter", "docstring_parser", "sniffio"),
    *("torch", "torchvision", "torchaudio", "tensorflow", "jax", "flax", "keras", "accelerate"),
    *("IPython", "ipykernel", "jupyter", "matplotlib", "pandas", "scipy", "sklearn", "cv2"),
    # Pillow only decodes images here
    *("PIL.ImageTk", "PIL.ImageQt", "PIL._imagingtk", "PIL._imagingft"),
    # unsupported image format; its library has 5 MB
    "PIL._avif",
    # only for commands of huggingface_hub; `rich` stays, because mlx-lm's adapters import it
    *("typer", "shellingham"),
    *("google.protobuf", "onnx"),
    # alternative downloader, 11 MB; `engine/hub` does not use it
    "hf_xet",
    # keyring's libsecret backend would include the build machine's GLib
    "gi",
    *("PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtTest"),
    *("PySide6.QtDesigner", "PySide6.QtHelp", "PySide6.QtUiTools", "PySide6.QtSql"),
]

# huggingface_hub imports its modules lazily, and its HTTP client with them.
HUB = (
    *("huggingface_hub.constants", "huggingface_hub.errors", "huggingface_hub.hf_api"),
    *("huggingface_hub.file_download", "huggingface_hub._snapshot_download"),
    *("httpx2", "httpcore2", "h11", "idna", "truststore", "filelock"),
)

# Modules of transformers that need torch or are for training. The app uses its tokenizers.
_TRAINING = re.compile(
    r"transformers\."
    r"(pipelines|trainer|data|integrations|kernels|loss|onnx|quantizers|sagemaker|cli|commands"
    r"|optimization|testing_utils|distributed|tensor_parallel|conversion_mapping"
    r"|(.*\.)?(modeling|modular|image_processing|processing|feature_extraction|video_processing"
    r"|convert|generation|fusion)(_|$|\.))"
)
# Exceptions: modules that transformers or its tokenizers import at startup, and mlx-vlm's
# processors.
_KEPT = re.compile(
    r"transformers\.(processing_utils|feature_extraction_utils|image_processing_(backends|base|utils)"
    r"|video_processing_utils|models\.lfm2_vl\.processing_lfm2_vl"
    r"|modeling_(gguf_pytorch|rope)_utils|convert_slow_tokenizer|generation(\.configuration_utils)?"
    r"|integrations(\.(heterogeneity|mistral)(\..*)?)?|models\.auto\..*"
    r"|models\.\w+)$"
)

# Models of mlx-vlm, their dependencies in it, and what loads their weights.
_MODELS_THAT_SEE = re.compile(
    r"mlx_vlm\.(models|kernels|turboquant|utils|tokenizer_utils|quantization|fp8)(\.|$)"
)

# libQt6Qml itself must stay: the bindings of the docking library link to it.
_UNUSED_FILES = re.compile(
    r"(^|/)(libQt6(Quick|Test|Designer|Help|Sql|Pdf|VirtualKeyboard|EglF)"
    r"|Qt(OpenGL|Qml|Quick|Test|Designer|Help|Sql|UiTools)\w*\.abi3\.so|qml/)"
    r"|plugins/(qmltooling|sqldrivers|designer|virtualkeyboard|platforminputcontexts/libqtvirtual"
    r"|platforms/libq(eglfs|linuxfb|minimalegl|vnc|vkkhrdisplay)|egldeviceintegrations"
    r"|imageformats/libqpdf|platformthemes/libqgtk3|networkinformation|wayland-graphics)"
    # Qt's translations, except those of the app's languages for dialogs and text menus
    rf"|(^|/)translations/qt(?!base_({'|'.join(languages.CODES)})\.qm)"
    r"|(^|/)(tests?|__pycache__)/|mlx/(include|share)/|\.(pyi|h|hpp|c|cpp|cmake|lib|a)$"
    # zeroconf's Python modules do the same
    r"|^zeroconf/.*\.so$"
)


# Libraries that the app opens by name, so no library links to them.
_OPENED_BY_NAME = ("libpython", "libopenblas")


def version() -> str:
    return str(bootstrap.project()["version"])


def resources() -> Iterator[Path]:
    """Yield the app's data files: icons, fonts, licenses, models.toml, translations, the Guide."""
    whole = bootstrap.ROOT / "resources"
    yield whole / "models.toml"
    for folder in ("icons", "fonts", "licences"):
        files = (p for p in (whole / folder).iterdir() if p.is_file() and p.suffix != ".md")
        yield from sorted(files)
    yield from sorted((whole / "languages").glob("*.qm"))
    guide = whole / "guide"
    for suffix in ("*.json", "*.safetensors", "*.jinja", "help.toml"):
        yield from sorted(guide.glob(suffix))


def modules_of(package: str) -> list[str]:
    """Return the shipped modules of a package. They are found on disk, as importing it would be
    slow."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0])
    names = []
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if wanted_module(name):
            names.append(name)
    return names


def wanted_module(name: str) -> bool:
    if name.startswith("mlx_vlm."):
        return bool(_MODELS_THAT_SEE.match(name))
    return bool(_KEPT.match(name)) or not _TRAINING.match(name)


def wanted_file(name: str) -> bool:
    """Return True if a file is shipped. `name` is its path in the app's folder."""
    if name.startswith("transformers/") and name.endswith(".py"):
        module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return wanted_module(module)
    return not _UNUSED_FILES.search(name)


def needed_libraries(binaries: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return the entries without system libraries that no shipped file needs.

    System libraries are at the top of the folder. One is needed if a shipped file links to it,
    directly or through others.
    """
    from PyInstaller.depend import bindepend

    def from_system(entry: tuple[str, str, str]) -> bool:
        name, source, kind = entry
        at_top = "/" not in name and "site-packages" not in source
        return at_top and kind == "BINARY" and not name.startswith(_OPENED_BY_NAME)

    by_name = {entry[0]: entry for entry in binaries if from_system(entry)}
    wanted: set[str] = set()
    waiting = [entry for entry in binaries if not from_system(entry)]
    while waiting:
        _, source, kind = waiting.pop()
        if kind not in ("BINARY", "EXTENSION"):
            continue
        for name, _ in bindepend.get_imports(source):
            if name in by_name and name not in wanted:
                wanted.add(name)
                waiting.append(by_name[name])
    return [entry for entry in binaries if not from_system(entry) or entry[0] in wanted]


def write_licences(binaries: list[tuple[str, str, str]], target: Path) -> None:
    """Write the list of the bundle's components, for the licenses window and for releases."""
    of_system = sorted({Path(source).resolve() for _, source, _ in binaries})
    shipped = (p for p in licenses.installed() if p.name.replace("-", "_") not in EXCLUDED)
    parts = [*shipped, *_system_parts(of_system)]
    target.parent.mkdir(exist_ok=True)
    target.write_text(licenses.as_json(parts), encoding="utf-8")


def _system_parts(files: list[Path]) -> Iterator[licenses.Component]:
    if not files or shutil.which("dpkg-query") is None:
        return
    # Older packages list their files without the leading /usr.
    paths = [path for file in files for path in (str(file), str(file).removeprefix("/usr"))]
    asked = ["dpkg-query", "--search", *paths]
    found = subprocess.run(asked, check=False, capture_output=True, text=True).stdout
    for name in sorted({line.split(": ", 1)[0] for line in found.splitlines() if ": /" in line}):
        shown = ["dpkg-query", "--show", "--showformat", "${Version}", name]
        version = subprocess.run(shown, check=True, capture_output=True, text=True).stdout
        text = Path("/usr/share/doc", name.split(":")[0], "copyright").read_text("utf-8", "replace")
        kinds = re.findall(r"^License: *(\S+)", text, re.MULTILINE)
        short = ", ".join(dict.fromkeys(kinds)) or "see its text"
        yield licenses.Component(name.split(":")[0], version, short, text, "deb")


def openblas() -> list[Path]:
    """Return this machine's OpenBLAS, if any. It makes prompts 15 to 30 times faster."""
    if ctypes.util.find_library("openblas") is None:
        return []
    lines = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    for line in lines.stdout.splitlines():
        name, _, path = line.strip().partition(" => ")
        if name.startswith("libopenblas.so.0"):
            return [Path(path)]
    return []


def kernels() -> list[Path]:
    """Return the library of CPU kernels, compiled for this machine's architecture."""
    return [build.build()]
