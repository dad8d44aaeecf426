"""Make the disk image for Macs: the .app, signed and notarized if the secrets are set.

Environment variables; if the notary's key is set, all four are required (see `packaging/QA.md` for
checks afterwards):

    STRETTO_CODESIGN_IDENTITY   "Developer ID Application: …", in an unlocked keychain
    STRETTO_NOTARY_KEY          file of an App Store Connect API key (.p8)
    STRETTO_NOTARY_KEY_ID       its id
    STRETTO_NOTARY_ISSUER       its issuer
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import macos

WINDOW = ((200, 160), (640, 400))
NOTARY = ("STRETTO_NOTARY_KEY", "STRETTO_NOTARY_KEY_ID", "STRETTO_NOTARY_ISSUER")


def make(app: Path, version: str) -> Path:
    """Return the disk image of an app, signed and notarized if the secrets are set.

    Raises:
        ValueError: only some of the secrets are set.
        CalledProcessError: one of Apple's tools failed.
    """
    notary = secrets()
    if notary:
        archive = app.with_suffix(".zip")
        _run("ditto", "-c", "-k", "--keepParent", str(app), str(archive))
        notarise(archive, notary)
        archive.unlink()
        staple(app)
    target = app.parent.parent / f"Stretto-{version}-macos-arm64.dmg"
    target.unlink(missing_ok=True)

    import dmgbuild

    dmgbuild.build_dmg(str(target), "Stretto", settings=settings(app))
    identity = macos.identity()
    if identity is not None:
        _run("codesign", "--sign", identity, "--timestamp", str(target))
    if notary:
        notarise(target, notary)
        staple(target)
    return target


def settings(app: Path) -> dict[str, Any]:
    """Return the image's contents and layout: the app, an arrow, and a link to Applications."""
    (_, (width, height)) = WINDOW
    return {
        "format": "ULFO",  # compression supported since macOS 10.11
        "files": [str(app)],
        "symlinks": {"Applications": "/Applications"},
        "icon": str(app / "Contents" / "Resources" / "Stretto.icns"),
        "background": "builtin-arrow",
        "window_rect": WINDOW,
        "icon_locations": {
            app.name: (width // 4, height * 3 // 10),
            "Applications": (width * 3 // 4, height * 3 // 10),
        },
        "icon_size": 128,
        "text_size": 13,
        "default_view": "icon-view",
    }


def secrets() -> list[str]:
    """Return the arguments of notarytool, or an empty list without the secrets."""
    given = {name: os.environ.get(name) for name in ("STRETTO_CODESIGN_IDENTITY", *NOTARY)}
    if not given["STRETTO_NOTARY_KEY"]:
        return []  # hosted runners always set the other two
    missing = [name for name, value in given.items() if not value]
    if missing:
        raise ValueError(f"To notarise, {', '.join(missing)} must be set too.")
    key, key_id, issuer = (str(given[name]) for name in NOTARY)
    return ["--key", key, "--key-id", key_id, "--issuer", issuer]


def notarise(file: Path, notary: list[str]) -> None:
    _run("xcrun", "notarytool", "submit", str(file), *notary, "--wait", "--timeout", "30m")


def staple(target: Path) -> None:
    """Attach Apple's ticket, so that the first start needs no network."""
    _run("xcrun", "stapler", "staple", str(target))


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
