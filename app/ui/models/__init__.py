"""Models: the Models window, downloads from Hugging Face, remote models, several computers.

Imports: app.bridge, app.chats, app.flows, app.markdown, app.models, app.remote, app.settings,
app.ui.style, app.ui.widgets, engine, engine.cluster, engine.errors, engine.hub, engine.sandbox.
"""
