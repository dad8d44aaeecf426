"""The engine's figures over time: `feed` asks the engine, `lanes` keep what it said, and what
`elsewhere` adds of other machines.

Imports: app.chats, app.flows, engine.
"""
