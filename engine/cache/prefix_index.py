"""Who holds which tokens: caches handed from one chat to another, found by a radix tree.

Before the next chunk of a prompt is read, whoever of the same kind holds more of that prompt gives
a copy: another chat, or a kept prefix. Kept are system prompts, beyond the chats that read them.
Copies are detached, so nobody sees the other's writes from then on. A cache holds what its tokens
say, whoever read them, so the answers are those of a chat that runs alone.

The tree is over tokens, one for each kind of session. It is changed when a prompt is read, a cache
is cut back, taken over or dropped, and when a reply ends: idle sessions cost a turn nothing, and
what a decode step adds is not looked at before its reply has ended.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from engine.cache.ledger import (
    MIN_GAIN,
    TOKEN_BYTES,
    CacheKey,
    Offer,
    common_bytes,
    fixed_cuts,
    in_common,
    packed,
)
from engine.cache.session_kv import SessionKV

MOST_ASKED = 32
"""Holders of as many tokens that are asked how far they can go back, where the first cannot."""


class Reader(Struct, frozen=True):
    """A session whose prompt is being read, as the prefix index sees it."""

    kind: tuple[object, ...]  # sessions of one kind can go on from each other's caches
    kv: SessionKV
    tokens: Sequence[int]  # the prompt's
    prompt: bytes  # the same, `packed`
    boundary: int  # how many of them come before the opening of the answer
    system: int  # how many of them any chat with the same system message begins with
    # it is reproducible: only what was read in the very chunks that it would read itself will do
    fixed: bool

    @property
    def cuts(self) -> Sequence[int] | None:
        """Where the chunks end when it reads its prompt from the start; None for anywhere."""
        if not self.fixed:
            return None
        return fixed_cuts(len(self.tokens) - 1, self.boundary if self.kv.needs_snapshot else None)


class _Node:
    """Tokens after those of its parent, and who holds exactly so many."""

    __slots__ = ("children", "depth", "edge", "holders", "parent")

    def __init__(self, edge: bytes, parent: _Node | None) -> None:
        self.edge = edge  # the tokens, `packed`; empty for the root
        self.parent = parent
        # bytes from the root to the edge's end
        self.depth: int = len(edge) + (parent.depth if parent is not None else 0)
        self.children: dict[bytes, _Node] = {}
        self.holders: set[_Holder] = set()  # whose tokens end here, or who can go back to here


class _Holder(Struct, eq=False):
    """Whoever's caches hold tokens."""

    key: CacheKey
    kind: tuple[object, ...]
    kv: SessionKV
    # where it is in the tree: where its tokens end, and at its snapshot
    nodes: tuple[_Node, ...] = ()
    used_at: float = 0.0  # as of `time.monotonic`, of a kept prefix


class PrefixIndex:
    """All that can be handed on between chats, and the prefixes that are kept for those to come.

    Args:
        limit: bytes that the kept prefixes may take.
        moved: caches whose tokens have changed since they were looked at; emptied here.
    """

    def __init__(self, limit: int, moved: set[SessionKV]) -> None:
        # the prefixes that are kept, by the keys that `drop` takes
        self.kept: dict[CacheKey, _Holder] = {}
        self.version = 0  # changes with who holds what
        self._limit = limit
        self._moved = moved
        self._made = 0
        self._roots: dict[Hashable, _Node] = {}
        self._holders: dict[SessionKV, _Holder] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of the prefixes that are kept."""
        return sum(p.kv.owed for p in self.kept.values())

    def add(self, key: CacheKey, kind: tuple[object, ...], kv: SessionKV) -> None:
        """Know of a session's caches, until they are removed."""
        self._holders[kv] = _Holder(key, kind, kv, used_at=time.monotonic())
        self._moved.add(kv)

    def remove(self, kv: SessionKV) -> None:
        """Forget these caches."""
        holder = self._holders.pop(kv, None)
        self._moved.discard(kv)
        if holder is None:
            return
        try:
            self._take_out(holder)
        except BaseException:
            self._clear_tree()
            raise

    def drop(self, key: CacheKey) -> None:
        """Free one of the kept prefixes."""
        prefix = self.kept.pop(key, None)
        if prefix is not None:
            self.remove(prefix.kv)

    def clear(self) -> None:
        """Free everything."""
        self._clear_tree()
        self.kept.clear()
        self._holders.clear()
        self._moved.clear()

    def forget(self, model_id: str) -> None:
        """Free what is kept of a model."""
        for key in [k for k, p in self.kept.items() if p.kind[0] == model_id]:
            self.drop(key)

    def refresh(self) -> None:
        """Look at what has moved since the last time."""
        try:
            for kv in list(self._moved):
                holder = self._holders.get(kv)
                if holder is not None:
                    self._put_in(holder)
                self._moved.discard(kv)
        except BaseException:
            self._clear_tree()
            raise

    def offer(self, reader: Reader) -> Offer | None:
        """The longest prefix of a prompt that others hold, as of the last `refresh`."""
        kv, cuts = reader.kv, reader.cuts
        if cuts is not None and kv.length and (kv.cuts or [0])[-1] != kv.length:
            return None  # it has tokens of its own making, which no other's are the same bits as
        free = kv.sharers > 1  # a fork that has not written yet is copied at its first write
        least = kv.length + (1 if free else MIN_GAIN)
        best, donor = 0, None
        for common, node, skip in self._along(reader):
            if common < max(least, best):
                break
            here = node.holders if node.depth == common * TOKEN_BYTES else ()
            for holder in islice(_holders(node, kv, skip), MOST_ASKED):
                if holder not in here and not holder.kv.trimmable:
                    continue  # it can go back to its own nodes alone, which are elsewhere
                length = holder.kv.reach(reader.tokens, cuts)
                if length > best:
                    best, donor = length, holder.key
                if best >= min(common, len(reader.tokens) - 1):
                    break
        return Offer(donor, best) if donor is not None and best > kv.length else None

    def adopt(self, reader: Reader, donor: SessionKV, length: int) -> None:
        """Let a session go on from a copy of a donor's first `length` tokens.

        Raises:
            Exception: whatever ails the donor's caches; the session's own are as before.
        """
        if length <= reader.kv.length or donor.reach(reader.tokens) < length:
            raise ValueError(f"{length} tokens of another chat's are no gain, or not the same")
        reader.kv.take_from(donor, length)
        if reader.kv.needs_snapshot and length == reader.boundary:
            reader.kv.snapshot()
        holder = self._holders.get(donor)
        if holder is not None:
            holder.used_at = time.monotonic()

    def keep(self, reader: Reader, before: int, waiting: Iterable[Reader]) -> None:
        """After a chunk from `before` on: keep what others can, or may one day, go on from."""
        kv = reader.kv
        system = reader.system
        if reader.fixed:
            system = max((c for c in kv.cuts if c <= system), default=0)
        if before < system <= kv.length and system >= MIN_GAIN:
            self._keep(reader, system)
        if kv.needs_snapshot and any(
            other.kv is not kv
            and other.kind == reader.kind
            and in_common(reader.prompt, other.prompt) == kv.length
            and kv.length >= other.kv.length + MIN_GAIN
            for other in waiting
        ):
            self._keep(reader, kv.length)

    def _keep(self, reader: Reader, length: int) -> None:
        kv = reader.kv
        if length != len(kv.tokens) and not kv.trimmable:
            return
        tokens = kv.tokens[:length]
        for prefix in self.kept.values():
            if prefix.kind == reader.kind and prefix.kv.tokens == tokens:
                return
        entry = kv.another()
        entry.take_from(kv, length, room=False)
        if entry.nbytes > self._limit:
            return
        self._made += 1
        key = CacheKey("prefix", str(self._made))
        self.add(key, reader.kind, entry)
        self.kept[key] = self._holders[entry]
        while self.nbytes > self._limit:
            self.drop(min(self.kept, key=lambda k: self.kept[k].used_at))

    # -- the tree ---------------------------------------------------------------------------

    def _along(self, reader: Reader) -> Iterator[tuple[int, _Node, _Node | None]]:
        """The nodes that a prompt leads to, the last first.

        Gives how many tokens all in such a node and after it have in common with the prompt, and
        the one of its children that was given before.
        """
        node, prompt = self._roots.get(reader.kind), reader.prompt
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

    def _put_in(self, holder: _Holder) -> None:
        kv, before = holder.kv, holder.nodes
        path = _path(before[0]) if before else b""
        # What the tree has is right as far as nothing was cut back since.
        known = path[: min(kv.unmoved * TOKEN_BYTES, len(path))]
        length = kv.length
        tokens = known[: length * TOKEN_BYTES]
        tokens += packed(kv.tokens[len(tokens) // TOKEN_BYTES : length])
        kv.unmoved = length
        ends = {len(tokens), *(n * TOKEN_BYTES for n in kv.goes_back_to)} - {0}
        if {node.depth for node in before} == ends and tokens == path:
            return
        self._take_out(holder)
        if not length:
            return
        self.version += 1
        root = self._roots.setdefault(holder.kind, _Node(b"", None))
        holder.nodes = tuple(_node_at(root, tokens[:end]) for end in sorted(ends, reverse=True))
        for node in holder.nodes:
            node.holders.add(holder)

    def _take_out(self, holder: _Holder) -> None:
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
        """Empty the tree; the next `refresh` makes it anew. After a fault it is not to be trusted.

        It is taken apart: its nodes refer to each other, and would hold the caches until Python
        looks for such circles.
        """
        pending = list(self._roots.values())
        self._roots.clear()
        while pending:
            node = pending.pop()
            pending += node.children.values()
            node.children, node.holders = {}, set()
        for holder in self._holders.values():
            holder.nodes = ()
        self._moved.update(self._holders)
        self.version += 1


def _holders(node: _Node, without: SessionKV, skip: _Node | None) -> Iterator[_Holder]:
    """All but one of the holders in a node and after it, those of the node `skip` left out."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield from (h for h in node.holders if h.kv is not without)
        pending += [child for child in node.children.values() if child is not skip]


def _path(node: _Node) -> bytes:
    """All tokens from the root to a node's end."""
    edges = []
    here: _Node | None = node
    while here is not None:
        edges.append(here.edge)
        here = here.parent
    return b"".join(reversed(edges))


def _node_at(root: _Node, tokens: bytes) -> _Node:
    """The node at which these tokens end; made where there is none."""
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
    """A new node for the first bytes of a node's edge; the node keeps the others."""
    parent = node.parent
    assert parent is not None
    first = _Node(node.edge[:at], parent)
    parent.children[first.edge[:TOKEN_BYTES]] = first
    node.edge, node.parent = node.edge[at:], first
    first.children[node.edge[:TOKEN_BYTES]] = node
    return first


def _prune(node: _Node) -> None:
    """Take nodes away that nobody needs."""
    while node.parent is not None and not node.holders and len(node.children) < 2:
        parent, key = node.parent, node.edge[:TOKEN_BYTES]
        if node.children:  # its only child takes its place
            (child,) = node.children.values()
            child.edge, child.parent = node.edge + child.edge, parent
            parent.children[key] = child
            return
        del parent.children[key]
        node = parent
