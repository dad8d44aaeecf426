"""The engine's figures over time: `feed` asks the engine, `lanes` keep what it said.

Imports: app.bridge, app.chats, engine.
"""
