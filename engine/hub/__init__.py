"""Search and downloads of models on the Hugging Face hub.

    from engine import hub

    found = hub.search("some model")                # asks the hub for names
    model = hub.look_up("somebody/some-model")      # asks the hub; downloads nothing
    folder = hub.download(model, progress=print)    # resumable after any interruption

Code in repositories is neither downloaded nor run. Importing this package doesn't import an HTTP
client.

Imports: engine.sandbox, engine.errors, engine.hub.gguf, engine.cache, engine.model, engine.text.
"""

from engine.cache.estimate import Fit
from engine.hub.downloads import (
    bytes_present,
    bytes_unfinished,
    check_space,
    discard,
    download,
    find,
    find_complete,
)
from engine.hub.models import (
    HubFacts,
    HubFile,
    HubModel,
    HubSearchResult,
    card,
    fit,
    look_up,
    search,
)
from engine.hub.names import HubRef, clean_name, parse
from engine.hub.net import MAX_WAIT_S

__all__ = [
    "MAX_WAIT_S",
    "Fit",
    "HubFacts",
    "HubFile",
    "HubModel",
    "HubRef",
    "HubSearchResult",
    "bytes_present",
    "bytes_unfinished",
    "card",
    "check_space",
    "clean_name",
    "discard",
    "download",
    "find",
    "find_complete",
    "fit",
    "look_up",
    "parse",
    "search",
]
