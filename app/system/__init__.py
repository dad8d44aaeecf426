"""What the program asks of the system that it runs on, and what it tells of itself.

Imports: app, app.bridge, app.chats, app.flows, app.models, app.settings, engine.model,
engine.sandbox.
"""
