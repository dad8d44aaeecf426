"""The composer: the message field at the bottom of a pane.

Imports: app.chats, app.settings, app.spelling, app.store, app.ui.style, app.ui.widgets.
"""
