"""Text that others wrote, where Qt would take it for HTML and open the files it names."""

from __future__ import annotations

import html


def plain_tip(text: str) -> str:
    """A tooltip that shows ``text`` as it is."""
    return f"<qt>{html.escape(text)}</qt>" if "<" in text else text
