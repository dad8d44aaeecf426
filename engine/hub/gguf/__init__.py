"""Support for GGUF files, which are converted once to a folder in MLX's layout.

    from engine.hub.gguf import kept

    folder = kept.convert_if_needed(Path("model.Q4_K_M.gguf"))   # reads and converts it in a child

Only `kept` runs in the engine's process. The other modules run in a sandboxed child: `reading`
parses the file without trusting it, `blocks` repacks the weights, `families` maps names of arrays
and settings to MLX's, `tokens` builds tokenizer.json, and `folder` writes the result.

Imports: engine.errors, engine.hub, engine.sandbox.
"""
