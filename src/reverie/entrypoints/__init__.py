"""The ways in. ``cli`` the command line · ``memory_tool`` Anthropic's memory tool. Each imports what only it needs."""
