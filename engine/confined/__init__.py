"""Untrusted work in child processes with limits: templates, tokenizers, forms, model folders.

`confined.Confined` is the face, `pool` and `process` run the children, `child` is one of them;
`tasks`, `readers`, `templates`, `check`, `files` and `compile` run in the child. `bounds` refuses
by size, without a child.
"""
