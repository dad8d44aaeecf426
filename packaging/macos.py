"""Identity of the app on macOS: signature and Info.plist."""

from __future__ import annotations

import os
from typing import Any

IDENTIFIER = "app.stretto.Stretto"

MINIMUM_SYSTEM = "14.0"
"""Oldest macOS that MLX's wheels support."""


def identity() -> str | None:
    """Return the Developer ID for signing, from the environment. None signs ad hoc."""
    return os.environ.get("STRETTO_CODESIGN_IDENTITY") or None


def info_plist(version: str) -> dict[str, Any]:
    """Return the entries of Info.plist that PyInstaller does not write itself."""
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
        # The window has its own dark appearance.
        "NSRequiresAquaSystemAppearance": False,
        "NSHumanReadableCopyright": "MIT License",
        # Shown when the user searches the local network or adds a remote model on it.
        "NSLocalNetworkUsageDescription": "To find and ask Strettos on this network, if you want.",
        "NSBonjourServices": ["_stretto._tcp"],
        # Model folders can be dropped on the icon.
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "MLX model folder",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": ["public.folder"],
            }
        ],
    }
