"""Fixed chats for screenshots, with content that the Guide doesn't write."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec.structs import replace

from app.settings.paths import GUIDE
from app.store import ChatRecord, Folder, Message, Store, new_id

MATHS = r"""The roots of $ax^2 + bx + c = 0$ with $a \neq 0$ are

$$x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$

1. For \(\Delta = b^2 - 4ac > 0\) there are **two** real roots.
2. For \(\Delta = 0\) there is one, $x = -\frac{b}{2a}$.

| Function | Derivative |
|---|---|
| $\sin x$ | $\cos x$ |
| $e^{kx}$ | $k e^{kx}$ |

As a matrix, with its inverse:

\[ \begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1} =
   \frac{1}{ad - bc} \begin{pmatrix} d & -b \\ -c & a \end{pmatrix} \]
"""

CODE = """A queue that *many threads* may fill, and one empties:

```python
class Mailbox:
    \"\"\"Commands for one thread. Anyone may post.\"\"\"

    def __init__(self) -> None:
        self._waiting: deque[Command] = deque()
        self._bell = threading.Condition()

    def post(self, command: Command) -> None:
        with self._bell:
            self._waiting.append(command)
            self._bell.notify()  # wakes at most one
```

> Keep the lock for as short as you can: `append` is quick, a callback may not be.

- [x] Post from any thread
- [ ] Drain on the one that owns the model
    - in order
    - without holding the lock
"""

MIXED = """## Part {0}

Here is a paragraph about the {0}th thing, with **strong** and *gentle* words, some `code`, and a
[link](https://example.org/{0}). It goes on for a second line, as paragraphs do, and then it ends.

- First point about {0}
- Second point, with `more()` code
  - a nested one
- Third point

```python
def part_{0}(x: int) -> int:
    return x + {0}  # and nothing else, but this line is longer than a pane is wide, as they may be
```

| Key | Value |
|:----|------:|
| a{0} | 1 |
| b{0} | 2 |

> A quotation to end part {0}.

"""


def mixed(characters: int) -> str:
    return "".join(MIXED.format(n) for n in range(characters // 450 + 2))[:characters]


CHATS = {
    "Formulas": ("How do I solve a quadratic equation?", MATHS),
    "A mailbox": ("Show me a thread-safe queue.", CODE),
}


def write_crowd(file: Path, count: int, folder_count: int) -> None:
    """Fill a store with chats of two messages, most in folders, some pinned or archived.

    Every fifth folder is nested in another. The times of the last messages spread over two years.
    """
    now, span = time.time(), 2 * 365 * 86_400
    folders = [Folder(new_id(), f"Folder {number:02}") for number in range(folder_count)]
    for number in range(4, len(folders), 5):
        folders[number] = replace(folders[number], parent_id=folders[number - 1].id)
    with Store.open(file) as store:
        for folder in folders:
            store.folders.save(folder)
        for first in range(0, count, 500):
            with store.transaction():
                for number in range(first, min(first + 500, count)):
                    folder_id = folders[number % len(folders)].id if folders else None
                    at = now - span * number / count
                    chat = ChatRecord(
                        new_id(),
                        f"Chat {number} about {_SUBJECTS[number % len(_SUBJECTS)]}",
                        GUIDE,
                        folder_id=folder_id if number % 3 else None,
                        pinned_at=at if number % 500 == 1 else None,
                        archived_at=at if number % 20 == 2 else None,
                        updated_at=at,
                    )
                    asked = Message(new_id(), chat.id, None, "user", chat.title, created_at=at)
                    text = f"Answer {number}, in a few words."
                    told = Message(new_id(), chat.id, asked.id, "assistant", text, created_at=at)
                    store.save_chat(chat)
                    store.save_message(asked)
                    store.save_message(told, as_leaf=True)
            store.flush(None)
        settle(store)  # otherwise the first start would have more to index than others


_SUBJECTS = ("rivers", "trees", "bread", "sailing", "old maps", "the moon", "bees")


def write(chats: Path) -> dict[str, str]:
    ids: dict[str, str] = {}
    with Store.open(chats) as store:
        for title, (question, answer) in CHATS.items():
            ids[title] = chat_id = new_id()
            asked = Message(new_id(), chat_id, None, "user", question)
            told = Message(new_id(), chat_id, asked.id, "assistant", answer, model="Guide")
            store.save_chat(ChatRecord(chat_id, title, GUIDE, leaf_id=told.id))
            store.save_message(asked)
            store.save_message(told)
    return ids


def write_long(chats: Path, messages: int, characters: int = 900) -> str:
    """Write a chat of `messages` messages into a new store and return its id.

    Answers have between a tenth of ``characters`` and ``characters`` characters.
    """
    chat = ChatRecord(new_id(), "Long", GUIDE)
    with Store.open(chats) as store:
        store.save_chat(chat)
        parent = None
        for number in range(messages):
            if number % 2:
                text = mixed(characters * (1 + number // 2 % 10) // 10)
                message = Message(new_id(), chat.id, parent, "assistant", text, model="Drip")
            else:
                text = f"Question {number}: how does it go on?"
                message = Message(new_id(), chat.id, parent, "user", text)
            store.save_message(message, as_leaf=True)
            parent = message.id
        settle(store)
    return chat.id


def settle(store: Store) -> None:
    store.flush(None)
    while not store.is_settled:
        time.sleep(0.02)
