"""The ways in. ``cli`` the command line. Each imports what it needs and nothing else does."""
