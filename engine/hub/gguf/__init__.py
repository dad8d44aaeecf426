"""Models in a GGUF file, taken into a folder in MLX's layout once.

    from engine.hub.gguf import kept

    folder = kept.folder_of(Path("some-model.Q4_K_M.gguf"))   # reads and converts it in a child

`kept` is the face, and the only part that runs in the engine's process: it asks a confined child
and remembers what was made. The others run in that child: `reading` reads the file and believes
none of it, `blocks` packs its weights anew, `families` has how each architecture's arrays and
settings are called in MLX, `tokens` makes a tokenizer.json, `folder` writes it all down.

Imports: engine.errors, engine.hub, engine.sandbox.
"""
