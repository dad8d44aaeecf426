"""Which versions of what others wrote the program runs with, for reports."""

from __future__ import annotations

PACKAGES = (
    "PySide6-Essentials",
    "PySide6-QtAds",
    "mlx",
    "mlx-lm",
    "transformers",
    "tokenizers",
    "huggingface_hub",
    "llguidance",
)


def versions() -> dict[str, str]:
    """The installed version of each package; words where one is not there."""
    # 20 ms, which no start needs
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "is not installed"
    return found
