"""Contents of the bundle, as far as they can be checked without a build."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import json
import os
import plistlib
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"


@pytest.mark.parametrize(
    ("name", "shipped"),
    [
        ("transformers", True),
        ("transformers.tokenization_utils_base", True),
        ("transformers.models.auto.tokenization_auto", True),
        ("transformers.models.llama.configuration_llama", True),
        ("transformers.models.llama.tokenization_llama", True),
        ("transformers.modeling_rope_utils", True),
        ("transformers.convert_slow_tokenizer", True),
        ("transformers.models.llama.modeling_llama", False),
        ("transformers.models.clip.image_processing_clip", False),
        ("transformers.trainer", False),
        ("transformers.pipelines.base", False),
        ("mlx_lm.models.llama", True),
        ("mlx_vlm.models.qwen3_vl.vision", True),
        ("mlx_vlm.server.app", False),
        ("engine.runtime.loop", True),
    ],
)
def test_bundle_ships_only_tokenizers_of_transformers(
    module: Callable[[str], Any], name: str, shipped: bool
) -> None:
    contents = module("contents")
    assert contents.wanted_module(name) is shipped
    if name.startswith("transformers."):
        assert contents.wanted_file(name.replace(".", "/") + ".py") is shipped


def test_bundle_has_all_tokenizer_modules() -> None:
    """Run in a separate process, because these modules stay imported."""
    code = f"""
import sys
sys.path[:0] = [{str(PACKAGING)!r}, {str(ROOT)!r}]
from pathlib import Path
from engine.model.backend import start
start()
from mlx_lm.utils import load_tokenizer
tokenizer = load_tokenizer(Path({str(ROOT / "resources" / "guide")!r}))
tokenizer.apply_chat_template([{{"role": "user", "content": "Hello"}}], tokenize=True)
import contents
used = [m for m in sys.modules if m.startswith("transformers")]
assert len(used) > 20, used
print([m for m in used if not contents.wanted_module(m)])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


def test_bundle_lists_only_existing_modules() -> None:
    tree = ast.parse((PACKAGING / "stretto.spec").read_text(encoding="utf-8"))
    taken = [
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in {"app", "engine"}
        for alias in node.names
    ]
    named = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and str(node.value).startswith(("app.", "engine."))
    ]
    assert taken
    assert named
    assert [name for name in (*taken, *named) if importlib.util.find_spec(name) is None] == []


def test_downloads_need_only_shipped_client(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    contents = module("contents")
    assert "hf_xet" in contents.EXCLUDED
    assert not {"hf_xet", "hf-xet"} & {*contents.METADATA, *contents.HUB}
    assert all(importlib.util.find_spec(name) for name in contents.HUB)
    monkeypatch.setattr(contents, "_system_parts", lambda _: [])
    contents.write_licences([], tmp_path / "licences.json")
    listed = {part["name"].lower() for part in json.loads((tmp_path / "licences.json").read_text())}
    assert {"huggingface_hub", "httpx2", "truststore", "filelock"} <= listed
    assert not {"hf-xet", "hf_xet", "typer"} & listed


def test_bundled_guide_omits_training_files(module: Callable[[str], Any]) -> None:
    contents = module("contents")
    names = {file.relative_to(ROOT / "resources").as_posix() for file in contents.resources()}
    assert {"guide/model.safetensors", "guide/tokenizer.json", "guide/config.json"} <= names
    read = {"models.toml", "guide/help.toml"}
    assert {"icons/stretto.svg", *read} <= names
    assert not [name for name in names - read if name.endswith((".py", ".toml", ".md"))]


def test_info_plist_meets_macos_requirements(module: Callable[[str], Any]) -> None:
    macos = module("macos")
    plist = plistlib.loads(plistlib.dumps(macos.info_plist("1.2.3")))
    assert plist["CFBundleVersion"] == plist["CFBundleShortVersionString"] == "1.2.3"
    assert plist["CFBundleIdentifier"] == "app.stretto.Stretto"
    assert plist["LSMinimumSystemVersion"] == "14.0"
    assert plist["NSHighResolutionCapable"] is True
    entitlements = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert set(entitlements) == {
        "com.apple.security.cs.allow-unsigned-executable-memory",
        "com.apple.security.cs.disable-library-validation",
    }


def test_program_is_signed_ad_hoc_by_default(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    macos = module("macos")
    monkeypatch.delenv("STRETTO_CODESIGN_IDENTITY", raising=False)
    assert macos.identity() is None  # "-" would enable the hardened runtime
    monkeypatch.setenv("STRETTO_CODESIGN_IDENTITY", "Developer ID Application: Somebody")
    assert macos.identity() == "Developer ID Application: Somebody"


def test_the_desktop_files_speak_of_one_program(module: Callable[[str], Any]) -> None:
    contents = module("contents")
    macos = module("macos")
    desktop = configparser.ConfigParser(interpolation=None)
    desktop.optionxform = str  # type: ignore[assignment, method-assign]
    desktop.read(LINUX / f"{macos.IDENTIFIER}.desktop", encoding="utf-8")
    entry = desktop["Desktop Entry"]
    assert entry["Icon"] == macos.IDENTIFIER
    about = ET.parse(LINUX / f"{macos.IDENTIFIER}.metainfo.xml").getroot()
    assert about.findtext("id") == macos.IDENTIFIER
    assert about.findtext("launchable") == f"{macos.IDENTIFIER}.desktop"
    newest = about.find("releases/release")
    assert newest is not None
    assert newest.get("version") == contents.version()
    source = (ROOT / "app" / "program" / "application.py").read_text(encoding="utf-8")
    assert f'setDesktopFileName("{macos.IDENTIFIER}")' in source


@pytest.mark.skipif(sys.platform != "linux", reason="for Linux desktops")
def test_install_adds_and_removes_menu_entry(tmp_path: Path) -> None:
    folder, home = tmp_path / "a folder" / "Stretto", tmp_path / "home"
    (folder / "share").mkdir(parents=True)
    (folder / "_internal" / "resources" / "icons").mkdir(parents=True)
    (folder / "_internal" / "resources" / "icons" / "stretto.svg").write_text("<svg/>")
    sized = folder / "share" / "icons" / "48x48"
    sized.mkdir(parents=True)
    (sized / "app.stretto.Stretto.png").write_bytes(b"a picture")
    (folder / "stretto").write_text("#!/bin/sh\necho here\n")
    (folder / "stretto").chmod(0o755)
    for file in LINUX.iterdir():
        target = folder if file.suffix == ".sh" else folder / "share"
        (target / file.name).write_bytes(file.read_bytes())
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}

    def install(*options: str) -> None:
        subprocess.run(["sh", str(folder / "install.sh"), *options], check=True, env=environment)

    install()
    entry = home / ".local/share/applications/app.stretto.Stretto.desktop"
    assert f'Exec="{folder}/stretto"' in entry.read_text()
    said = subprocess.run([home / ".local/bin/stretto"], check=True, capture_output=True, text=True)
    assert said.stdout == "here\n"
    assert (home / ".local/share/icons/hicolor/48x48/apps/app.stretto.Stretto.png").exists()
    install("--remove")
    assert not [path for path in home.rglob("*") if not path.is_dir()]
    assert (folder / "stretto").exists()


def test_archive_depends_only_on_its_contents(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    build = module("build")
    packed = []
    for moment, order in ((1, "ab"), (2_000_000_000, "ba")):
        folder = tmp_path / str(moment) / "Stretto"
        folder.mkdir(parents=True)
        for name in order:
            (folder / name).write_text(f"the file {name}")
            os.utime(folder / name, (moment, moment))
        monkeypatch.setattr(build, "FOLDER", folder)
        monkeypatch.setattr(build, "BUILD", folder.parent)
        packed.append(build.pack().read_bytes())
    assert packed[0] == packed[1]


@pytest.mark.usefixtures("qapp")
@pytest.mark.qt_log_ignore("Start tag expected")
def test_the_icon_for_macos_has_all_sizes(module: Callable[[str], Any]) -> None:
    from PySide6.QtGui import QImage

    icons = module("icons")
    data = icons.icns(ROOT / "resources" / "icons" / "stretto.svg")
    assert data[:4] == b"icns"
    assert int.from_bytes(data[4:8], "big") == len(data)
    found, at = {}, 8
    while at < len(data):
        name, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "big")
        image = QImage.fromData(data[at + 8 : at + length], "PNG")
        assert image.width() == image.height()
        middle = image.pixelColor(image.width() // 2, image.height() // 2)
        assert middle.alpha() == 255  # something was painted
        found[name] = image.width()
        at += length
    assert found == icons.ICNS
    assert {16, 32, 64, 128, 256, 512, 1024} == set(found.values())
    with pytest.raises(ValueError, match="no SVG"):
        icons.png(ROOT / "README.md", 16)


def test_the_disk_image_shows_the_app_and_applications(
    module: Callable[[str], Any], tmp_path: Path
) -> None:
    app = tmp_path / "Stretto.app"
    shown = module("disk_image").settings(app)
    assert shown["files"] == [str(app)]
    assert shown["symlinks"] == {"Applications": "/Applications"}
    _, (width, height) = shown["window_rect"]
    assert {*shown["icon_locations"]} == {"Stretto.app", "Applications"}
    half = shown["icon_size"] // 2
    for x, y in shown["icon_locations"].values():
        assert half <= x <= width - half
        assert half <= y <= height - half


def test_half_of_the_notary_s_secrets_are_refused(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    image = module("disk_image")
    for name in (*image.NOTARY, "STRETTO_CODESIGN_IDENTITY"):
        monkeypatch.delenv(name, raising=False)
    assert image.secrets() == []
    monkeypatch.setenv("STRETTO_NOTARY_KEY", "key.p8")
    with pytest.raises(ValueError, match="STRETTO_CODESIGN_IDENTITY, STRETTO_NOTARY_KEY_ID"):
        image.secrets()
    monkeypatch.setenv("STRETTO_NOTARY_KEY_ID", "id")
    monkeypatch.setenv("STRETTO_NOTARY_ISSUER", "issuer")
    monkeypatch.setenv("STRETTO_CODESIGN_IDENTITY", "Developer ID Application: X")
    assert image.secrets() == ["--key", "key.p8", "--key-id", "id", "--issuer", "issuer"]
