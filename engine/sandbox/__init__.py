"""Untrusted work in child processes with limits: templates, tokenizers, forms, model folders.

`confined.Confined` is what the engine uses for its models; `jobs` has work that gets a child of its
own (a document, an image, a GGUF file). `pool` runs several children, `process` starts and
asks one, `protocol` is what both sides share. In the child: `child` with the tasks, `prompts`,
`folders`, `tokenizer_check`, `images`. `bounds` refuses by size, without a child, and comes first.

What was decided, and why:

- **Processes, not threads.** A template's `9**(9**9)`, a regular expression and `Tokenizer.encode`
  (1.3 s for a megabyte) hold Python's lock for as long as they run: nothing in the same process can
  stop them, and all other threads stand still. A prompt of a megabyte built in the engine's process
  by transformers, which lets go of the lock for most of it, held up another thread for 135 ms;
  built in a child, for 12 (the best of several runs on a busy machine). A crash in a library is
  one request's error.
- **Two children for prompts and forms, one lane for each model and one for all forms.** A hostile
  model holds one child at most, for the length of its limit, and everybody else has the other. A
  child takes 0.13 s of CPU to start, 28 MB (14 of its own) and the tokenizers that it has used: 170
  MB for a vocabulary of 200,000. A request there and back takes 0.25 ms.
- **`tokenizers` and `jinja2` without transformers**, which takes 1.2 s of CPU more and 30 MB. The
  tokenizer is the one that transformers has set up, handed on as JSON; the environment of templates
  is a copy of transformers'. 44 templates, 1,056 prompts: all the same. Where a model has Python
  code of its own for either, the child imports transformers and mlx-lm and uses that.
- **A tokenizer is checked in a child of its own, by the loader that the engine will use**, so that
  what would panic, crash or explode in the engine's process does so there. It is ended after it.
- **The kernel keeps the limits**: a timer of processor time, which a busy machine does not use up
  (at a load of 28 the tokens of a prompt took longer by the clock than they may), and one by the
  clock, whose signals are not Python's to handle; a limit of address space (on macOS, which has
  none, the parent looks ten times a second); no files written but those of a GGUF file's folder, of
  a size that is limited too.
  The parent keeps to the same limits, and says what happened. A child ends with its parent: by the
  pipe's end when it waits, by a signal on Linux, by its timer elsewhere.

Imports: engine.errors, engine.hub.gguf, engine.cache, engine.messages, engine.params,
engine.text.
"""
