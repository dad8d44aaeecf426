"""What can be found in the settings window, known without making the window."""

from __future__ import annotations

PLACES: tuple[tuple[str, str], ...] = (
    ("Look", "Appearance"),
    ("Look", "Contrast"),
    ("Look", "All text"),
    ("Look", "Text size"),
    ("Look", "Motion"),
    ("Writing", "Send with"),
    ("Writing", "Notifications"),
    ("New chats", "Model"),
    ("New chats", "Instructions"),
    ("Models", ""),
    ("Memory", "Models and chats"),
    ("Memory", "KV caches on disk"),
    ("Other programs", ""),
    ("From elsewhere", "Icon"),
    ("Updates", "New versions"),
    ("Where things are", ""),
    ("Advanced", "mlx-lm"),
)
"""The section, and the words of a row; "" for the section itself."""
