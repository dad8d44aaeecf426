"""Files to plain text with page boundaries: what a person attaches to a message.

`read` is to be called in a confined child only (`engine.core.confined`): the parsers are large and
the files come from anywhere. The libraries are imported when a file needs them.

Imports: nothing.
"""

from engine.text.documents.document import Document, UnreadableError
from engine.text.documents.reading import read

__all__ = ["Document", "UnreadableError", "read"]
