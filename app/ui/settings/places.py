"""What can be found in the settings window, known without making the window."""

from __future__ import annotations

from app.language import mark

PLACES: tuple[tuple[str, str], ...] = (
    (mark("Look"), mark("Appearance")),
    (mark("Look"), mark("Contrast")),
    (mark("Look"), mark("All text")),
    (mark("Look"), mark("Text size")),
    (mark("Look"), mark("Motion")),
    (mark("Writing"), mark("Send with")),
    (mark("Writing"), mark("Spelling")),
    (mark("Writing"), mark("Notifications")),
    (mark("New chats"), mark("Model")),
    (mark("New chats"), mark("Instructions")),
    (mark("Models"), ""),
    (mark("Memory"), mark("Models and chats")),
    (mark("Memory"), mark("KV caches on disk")),
    (mark("Other programs"), ""),
    (mark("From elsewhere"), mark("Icon")),
    (mark("Updates"), mark("New versions")),
    (mark("Where things are"), ""),
    (mark("Advanced"), "mlx-lm"),
)
"""The section, and the words of a row; "" for the section itself. In English: `FormPage.show_row`
finds them by it."""
