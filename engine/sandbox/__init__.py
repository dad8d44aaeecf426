"""Resource-limited child processes for untrusted templates, tokenizers, folders and files.

`confined.Sandbox` has the tasks for models (prompts, tokenizers, output formats, model folders).
`jobs` has tasks that each get their own child (a document, an image, a GGUF file). `pool`
schedules children, `process` starts them and sends requests, and `child` is the main loop inside a
child. `bounds` rejects oversized input before it's sent to a child.

Decisions:

- **Processes, not threads.** A template's `9**(9**9)`, a regular expression and `Tokenizer.encode`
  (1.3 s per megabyte) hold the GIL while they run, so a thread in the same process cannot be
  stopped and blocks all others. Building a 1 MB prompt in the engine's process with transformers
  blocked another thread for 135 ms; in a child, 12 ms (best of several runs on a busy machine). A
  crash in a library fails only one request.
- **Two children for prompts and output formats, one lane per model and one for all formats.** A
  hostile model occupies at most one child until its time limit; other models use the second. A
  child takes 0.13 s of CPU to start and 28 MB (14 MB private), plus the tokenizers it has loaded:
  170 MB for a vocabulary of 200,000. A round trip takes 0.25 ms.
- **`tokenizers` and `jinja2` without transformers**, which would add 1.2 s of CPU and 30 MB.
  transformers sets up the tokenizer once, and children receive it as JSON. The template environment
  copies that of transformers; 44 templates with 1,056 prompts gave identical text. If a model needs
  Python code from transformers or mlx-lm, the child imports both.
- **Each tokenizer is checked in a new child, with the loader that the engine uses**, so a panic,
  crash or memory explosion happens there. The child ends after the check.
- **The kernel enforces the limits**: a CPU timer, which does not run out on a busy machine (at a
  load of 28, tokenizing a prompt exceeded its limit by the clock); a wall-clock timer, whose signal
  Python does not handle; and an address space limit (macOS has none, so the parent checks memory
  ten times per second). Only a child that converts GGUF files may write files, of limited size. The
  parent enforces the same limits and reports what happened. A child ends with its parent: at the
  end of its input pipe, by a signal on Linux, or by its timer elsewhere.

Imports: engine.errors, engine.hub.gguf, engine.cache, engine.messages, engine.params, engine.text.
"""
