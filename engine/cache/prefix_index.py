"""Prefix cache: a radix tree of the tokens in all sessions' caches.

Before each chunk of a prompt, the scheduler gets the longest match among cached prefixes and other
sessions of the same kind, and decides if the session copies that cache. System prompts stay cached
after their session is closed. Each kind of session has a separate tree. The tree is updated when a
prompt is read, when a cache is trimmed, copied or dropped, and when a reply ends, but not by decode
steps.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from engine.cache.ledger import (
    MIN_GAIN,
    TOKEN_BYTES,
    CacheKey,
    CacheOffer,
    common_bytes,
    fixed_cuts,
    pack_tokens,
    shareable_tokens,
)
from engine.cache.session_kv import SessionKV
from engine.errors import describe_error

log = logging.getLogger(__name__)

MAX_DONORS = 32
"""Maximum number of equally long matches to check. Caches that can't be trimmed may be unusable."""


class PrefillingSession(Struct, eq=False):
    kind: tuple[object, ...]  # only sessions of the same kind can share caches
    kv: SessionKV
    tokens: list[int]  # prompt tokens, followed by generated tokens; may grow
    boundary: int  # number of prompt tokens before the generation prompt
    system: int  # number of tokens that all sessions with this system message have in common
    # Reproducible session, which can only use caches with the same chunk boundaries.
    fixed: bool
    _packed: bytes = b""

    @property
    def packed(self) -> bytes:
        packed_tokens = len(self._packed) // TOKEN_BYTES
        if packed_tokens < len(self.tokens):
            self._packed += pack_tokens(self.tokens[packed_tokens:])
        return self._packed

    @property
    def cuts(self) -> Sequence[int] | None:
        """Required chunk boundaries from the start of the prompt, or None if there are none."""
        if not self.fixed:
            return None
        return fixed_cuts(len(self.tokens) - 1, self.boundary if self.kv.needs_snapshot else None)


class _Node:
    __slots__ = ("children", "depth", "edge", "holders", "parent")

    def __init__(self, edge: bytes, parent: _Node | None) -> None:
        self.edge = edge  # `packed` tokens; empty for the root
        self.parent = parent
        # Length of the path from the root, in bytes.
        self.depth: int = len(edge) + (parent.depth if parent is not None else 0)
        self.children: dict[bytes, _Node] = {}
        self.holders: set[_Holder] = set()  # caches that end here or have a snapshot here


class _Holder(Struct, eq=False):
    """Index entry for the caches of a session or a cached prefix."""

    key: CacheKey
    kind: tuple[object, ...]
    kv: SessionKV
    nodes: tuple[_Node, ...] = ()  # nodes where the tokens and the snapshot end
    used_at: float = 0.0  # `time.monotonic()` of the last use, for evicting cached prefixes


class PrefixIndex:
    """Index of all caches that sessions can copy from, and owner of the cached prefixes.

    Args:
        limit: memory limit for cached prefixes, in bytes. The plan enforces it.
        changed: caches whose tokens have changed since the last `refresh`, which empties the set.
    """

    def __init__(self, limit: int, changed: set[SessionKV]) -> None:
        self.cached: dict[CacheKey, _Holder] = {}  # cached prefixes, until a plan evicts them
        self.version = 0  # incremented when the tree changes
        self.limit = limit
        self._changed_kvs = changed
        self._last_number = 0
        self._roots: dict[Hashable, _Node] = {}
        self._holders: dict[SessionKV, _Holder] = {}

    @property
    def nbytes(self) -> int:
        return sum(p.kv.attributed_bytes for p in self.cached.values())

    def add(self, key: CacheKey, kind: tuple[object, ...], kv: SessionKV) -> None:
        self._holders[kv] = _Holder(key, kind, kv, used_at=time.monotonic())
        self._changed_kvs.add(kv)

    def remove(self, kv: SessionKV) -> None:
        holder = self._holders.pop(kv, None)
        self._changed_kvs.discard(kv)
        if holder is None:
            return
        try:
            self._take_from_tree(holder)
        except BaseException:
            self._clear_tree()
            raise

    def drop(self, key: CacheKey) -> None:
        prefix = self.cached.pop(key, None)
        if prefix is not None:
            self.remove(prefix.kv)

    def clear(self) -> None:
        self._clear_tree()
        self.cached.clear()
        self._holders.clear()
        self._changed_kvs.clear()

    def drop_model(self, model_id: str) -> None:
        for key in [k for k, p in self.cached.items() if p.kind[0] == model_id]:
            self.drop(key)

    def refresh(self) -> None:
        try:
            for kv in list(self._changed_kvs):
                holder = self._holders.get(kv)
                if holder is not None:
                    self._insert(holder)
                self._changed_kvs.discard(kv)
        except BaseException as error:  # prefill the prompts instead of copying
            log.warning("prefix index is not up to date: %s", describe_error(error))
            self._clear_tree()

    def find_offer(self, session: PrefillingSession) -> CacheOffer | None:
        """Return the longest prefix of a prompt in other caches. Call `refresh` first."""
        kv = session.kv
        if all(candidate is kv for candidate in self._holders):
            return None
        cuts = session.cuts
        if cuts is not None and kv.length and (kv.cuts or [0])[-1] != kv.length:
            return None  # prefill can't reproduce decoded tokens bit by bit
        free = kv.is_fully_shared  # a fork is copied on its first write anyway
        min_length = kv.length + (1 if free else MIN_GAIN)
        best, donor = 0, None
        for common, node, skip in self._nodes_on_path(session):
            if common < max(min_length, best):
                break
            holders = node.holders if node.depth == common * TOKEN_BYTES else ()
            for holder in islice(_iterate_holders(node, kv, skip), MAX_DONORS):
                if holder not in holders and not holder.kv.is_trimmable:
                    continue  # the cache can't be trimmed to this node
                length = holder.kv.reusable_length(session.tokens, cuts)
                if length > best:
                    best, donor = length, holder.key
                if best >= min(common, len(session.tokens) - 1):
                    break
        return CacheOffer(donor, best) if donor is not None and best > kv.length else None

    def adopt(self, session: PrefillingSession, donor: SessionKV, length: int) -> None:
        """Replace a session's caches with a copy of the first `length` tokens of a donor.

        Raises:
            ValueError: if the donor can't provide `length` tokens of the prompt.
            Exception: from the donor's caches. The session's caches stay unchanged.
        """
        if length <= session.kv.length or donor.reusable_length(session.tokens) < length:
            raise ValueError(f"{length} tokens of another chat's cache save nothing, or differ")
        session.kv.copy_from(donor, length)
        if session.kv.needs_snapshot and length == session.boundary:
            session.kv.snapshot()
        holder = self._holders.get(donor)
        if holder is not None:
            holder.used_at = time.monotonic()

    def cacheable_length(
        self, session: PrefillingSession, before: int, waiting: Iterable[PrefillingSession]
    ) -> int:
        """Return the length of a prefix that other sessions can continue from, or 0.

        This is the system prompt, or all tokens read so far if a waiting session can use them.
        """
        kv = session.kv
        system = session.system
        if session.fixed:
            system = max((c for c in kv.cuts if c <= system), default=0)
        if before < system <= kv.length and system >= MIN_GAIN and self._is_new(session, system):
            return system
        if kv.needs_snapshot and any(
            other.kv is not kv
            and other.kind == session.kind
            and shareable_tokens(session.packed, other.packed) == kv.length
            and kv.length >= other.kv.length + MIN_GAIN
            for other in waiting
        ):
            return kv.length if self._is_new(session, kv.length) else 0
        return 0

    def _is_new(self, session: PrefillingSession, length: int) -> bool:
        kv = session.kv
        if length != len(kv.tokens) and not kv.is_trimmable:
            return False
        tokens = kv.tokens[:length]
        same = (p.kv for p in self.cached.values() if p.kind == session.kind)
        return all(entry.tokens != tokens for entry in same)

    def cache_prefix(self, session: PrefillingSession, length: int) -> None:
        if not self._is_new(session, length):
            return
        kv = session.kv
        entry = kv.new_empty()
        entry.copy_from(kv, length, room=False)
        self._last_number += 1
        key = CacheKey("prefix", str(self._last_number))
        self.add(key, session.kind, entry)
        self.cached[key] = self._holders[entry]

    def _nodes_on_path(
        self, session: PrefillingSession
    ) -> Iterator[tuple[int, _Node, _Node | None]]:
        """Yield the nodes on the path of a prompt, from the deepest node up to the root.

        Yields the number of tokens that the subtree has in common with the prompt, the node, and
        the previously yielded child.
        """
        node, prompt = self._roots.get(session.kind), session.packed
        path: list[tuple[int, _Node]] = []
        at = 0
        while node is not None:
            common = common_bytes(node.edge, prompt[at : at + len(node.edge)])
            at += common
            path.append((at // TOKEN_BYTES, node))
            if common < len(node.edge):
                break
            node = node.children.get(prompt[at : at + TOKEN_BYTES])
        skip: _Node | None = None
        for tokens, node in reversed(path):
            yield tokens, node, skip
            skip = node

    def _insert(self, holder: _Holder) -> None:
        kv, before = holder.kv, holder.nodes
        edges, ancestor = list[bytes](), before[0] if before else None
        while ancestor is not None:
            edges.append(ancestor.edge)
            ancestor = ancestor.parent
        path = b"".join(reversed(edges))
        # The tree is still correct for tokens that weren't trimmed since the last update.
        stable_path = path[: min(kv.unchanged_length * TOKEN_BYTES, len(path))]
        length = kv.length
        tokens = stable_path[: length * TOKEN_BYTES]
        tokens += pack_tokens(kv.tokens[len(tokens) // TOKEN_BYTES : length])
        kv.unchanged_length = length
        snapshot = kv.last_snapshot
        ends = {len(tokens), snapshot.length * TOKEN_BYTES if snapshot is not None else 0} - {0}
        if {node.depth for node in before} == ends and tokens == path:
            return
        self._take_from_tree(holder)
        if not length:
            return
        self.version += 1
        root = self._roots.setdefault(holder.kind, _Node(b"", None))
        holder.nodes = tuple(
            _find_or_add_node(root, tokens[:end]) for end in sorted(ends, reverse=True)
        )
        for node in holder.nodes:
            node.holders.add(holder)

    def _take_from_tree(self, holder: _Holder) -> None:
        if not holder.nodes:
            return
        self.version += 1
        for node in holder.nodes:
            node.holders.discard(holder)
            _prune(node)
        holder.nodes = ()
        if not self._roots[holder.kind].children:
            del self._roots[holder.kind]

    def _clear_tree(self) -> None:
        """Clear the tree after an error. The next `refresh` rebuilds it.

        All nodes are unlinked, because their reference cycles would keep caches alive.
        """
        pending = list(self._roots.values())
        self._roots.clear()
        while pending:
            node = pending.pop()
            pending += node.children.values()
            node.children, node.holders = {}, set()
        for holder in self._holders.values():
            holder.nodes = ()
        self._changed_kvs.update(self._holders)
        self.version += 1


def _iterate_holders(node: _Node, without: SessionKV, skip: _Node | None) -> Iterator[_Holder]:
    pending = [node]
    while pending:
        node = pending.pop()
        yield from (h for h in node.holders if h.kv is not without)
        pending += [child for child in node.children.values() if child is not skip]


def _find_or_add_node(root: _Node, tokens: bytes) -> _Node:
    node, at = root, 0
    while at < len(tokens):
        key = tokens[at : at + TOKEN_BYTES]
        child = node.children.get(key)
        if child is None:
            child = node.children[key] = _Node(tokens[at:], node)
            return child
        common = common_bytes(child.edge, tokens[at : at + len(child.edge)])
        node = child if common == len(child.edge) else _split(child, common)
        at += common
    return node


def _split(node: _Node, at: int) -> _Node:
    parent = node.parent
    assert parent is not None
    first = _Node(node.edge[:at], parent)
    parent.children[first.edge[:TOKEN_BYTES]] = first
    node.edge, node.parent = node.edge[at:], first
    first.children[node.edge[:TOKEN_BYTES]] = node
    return first


def _prune(node: _Node) -> None:
    """Remove a node and its ancestors, as long as they have no holders and at most one child."""
    while node.parent is not None and not node.holders and len(node.children) < 2:
        parent, key = node.parent, node.edge[:TOKEN_BYTES]
        if node.children:  # merge the node with its only child
            (child,) = node.children.values()
            child.edge, child.parent = node.edge + child.edge, parent
            parent.children[key] = child
            return
        del parent.children[key]
        node = parent
