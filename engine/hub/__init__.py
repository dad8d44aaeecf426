"""Models from the Hugging Face hub: looked at first, then downloaded, file by file.

    from engine import hub

    found = hub.search("some model")                # asks the hub for names
    model = hub.look_up("somebody/some-model")      # asks the hub; nothing is downloaded yet
    folder = hub.download(model, progress=print)    # may be cut off in any way, and called again

Works beside a running engine and without one. Only data is fetched: no file of a repository is
ever run, and code in it is not even downloaded. Importing this package imports no client.

Imports: engine.sandbox, engine.errors, engine.hub.gguf, engine.cache, engine.model, engine.text.
"""

from engine.cache.estimate import Fit
from engine.hub.downloads import (
    bytes_present,
    bytes_unfinished,
    check_space,
    complete,
    discard,
    download,
    find,
)
from engine.hub.models import Found, HubFacts, HubFile, HubModel, card, fit, look_up, search
from engine.hub.names import Wanted, clean_name, parse
from engine.hub.net import MAX_WAIT_S

__all__ = [
    "MAX_WAIT_S",
    "Fit",
    "Found",
    "HubFacts",
    "HubFile",
    "HubModel",
    "Wanted",
    "bytes_present",
    "bytes_unfinished",
    "card",
    "check_space",
    "clean_name",
    "complete",
    "discard",
    "download",
    "find",
    "fit",
    "look_up",
    "parse",
    "search",
]
