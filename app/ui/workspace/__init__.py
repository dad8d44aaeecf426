"""The workspace: panes in docks, tabs and floating windows, one of which is active.

Imports: app.chats, app.settings, app.ui.pane, app.ui.style, app.ui.widgets.
"""
