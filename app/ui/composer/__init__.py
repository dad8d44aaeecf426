"""The composer: the field at a pane's foot in which a person writes.

Imports: app.chats, app.settings, app.spelling, app.store, app.ui.style, app.ui.widgets.
"""
