"""OS integration: single instance, logs, crash reports, updates, licenses.

Imports: app, app.bridge, app.chats, app.flows, app.models, app.settings, engine.model,
engine.sandbox.
"""
