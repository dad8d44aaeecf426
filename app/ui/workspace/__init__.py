"""Where the panes are: docks, tabs, places, and which of them has the focus.

Imports: app.chats, app.settings, app.ui.pane, app.ui.style, app.ui.widgets.
"""
