"""What `app.selftest` tries of one part alone: each returns what it found, or raises.

Each part rests on files that nothing imports, on a native library or on a process of its own:
that is what may be missing from a frozen program.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app import __version__

WORDS = "The lighthouse keeps its lamp in a blue box"
"""What the document says that is read."""


def document(driver: Any, folder: Path) -> str:
    """Attach a PDF to the pane's message, which a child process reads, and take it off again."""
    from PySide6.QtGui import QFont, QPainter, QPdfWriter

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "a page.pdf"
    writer = QPdfWriter(str(file))
    painter = QPainter(writer)
    painter.setFont(QFont("Inter", 12))
    painter.drawText(800, 1200, WORDS)
    painter.end()
    attaching = driver.pane.chat.attaching
    refused: list[str] = []
    attaching.refused.connect(refused.append)
    attaching.add([file])
    driver.until(lambda: refused or attaching.files, 60)
    if refused:
        raise RuntimeError(refused[0])
    (attachment,) = attaching.files
    text = attaching.text(attachment)
    attaching.remove(attachment)
    if text is None or WORDS not in " ".join(" ".join(text.pages).split()):
        raise RuntimeError("the text of a PDF is not what was written into it")
    return f"{len(text.pages)} page of a PDF, {attachment.characters} characters"


def tool() -> str:
    """Call a tool of an MCP server that is this program itself, over stdio."""
    from app.tools.host import ToolHost
    from app.tools.servers import ServerConfig
    from engine.sandbox.process import own_command

    command, *arguments = own_command("mcp")
    host = ToolHost()
    try:
        host.set_servers([ServerConfig("stretto", command, tuple(arguments), cwd=str(Path.cwd()))])
        tools = {each.name: each for each in host.tools("stretto").result(90)}
        result = host.call(tools["ask"], {"prompt": "Hello"}).result(90)
    finally:
        host.shut_down()
    if result.error or not result.text.strip():
        raise RuntimeError(f"the tool says {result.text!r}")
    return f"{', '.join(sorted(tools))} over stdio: {result.text[:40]!r}"


def formula() -> str:
    """Set a formula: its fonts and tables lie in files that nothing imports."""
    from app.markdown import tex

    made = tex.formula(r"\sum_{i=1}^n \frac{1}{i^2}", True)
    if made is None:
        raise RuntimeError("a formula could not be set")
    return f"{made.width:.0f} x {made.height:.0f} pixels"


def signature() -> str:
    """Check a signature, as of the file that says which version is the newest."""
    import base64

    from nacl.signing import SigningKey

    from app.updates import read

    secret = SigningKey.generate()
    said = json.dumps({"version": __version__, "page": "https://localhost"})
    signature = base64.b64encode(secret.sign(said.encode()).signature).decode()
    document = json.dumps({"signed": said, "signature": signature}).encode()
    return f"of version {read(document, bytes(secret.verify_key)).version}"


def licences() -> str:
    """Find the texts of all licences."""
    from app.licences import components

    parts = components()
    missing = [part.name for part in parts if len(part.text) < 100]
    if missing or "PySide6_Essentials" not in [part.name for part in parts]:
        raise RuntimeError(f"no text for {', '.join(missing) or 'PySide6'}")
    return f"of {len(parts)} parts"
