"""Files that go with a chat's messages: read, fitted, put into the prompt.

Imports: app.flows, app.bridge, app.chats, app.language, app.store, engine, engine.errors,
engine.sandbox.
"""
