"""The program's identity on macOS: signature and Info.plist."""

from __future__ import annotations

import os
from typing import Any

IDENTIFIER = "app.stretto.Stretto"

MINIMUM_SYSTEM = "14.0"
"""The oldest macOS that MLX's wheels are built for."""


def identity() -> str | None:
    """The Developer ID to sign with, from the environment; None signs ad hoc."""
    return os.environ.get("STRETTO_CODESIGN_IDENTITY") or None


def info_plist(version: str) -> dict[str, Any]:
    """The entries of Info.plist that PyInstaller does not write itself."""
    return {
        "CFBundleName": "Stretto",
        "CFBundleDisplayName": "Stretto",
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "LSMinimumSystemVersion": MINIMUM_SYSTEM,
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSArchitecturePriority": ["arm64"],
        "NSHighResolutionCapable": True,
        # The window has a dark appearance of its own.
        "NSRequiresAquaSystemAppearance": False,
        "NSHumanReadableCopyright": "MIT License",
        # Asked for when the person has Strettos looked for, or adds a model of another machine.
        "NSLocalNetworkUsageDescription": "To find and ask Strettos on this network, if you want.",
        "NSBonjourServices": ["_stretto._tcp"],
        # A model folder can be dropped on the icon.
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "MLX model folder",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": ["public.folder"],
            }
        ],
    }
