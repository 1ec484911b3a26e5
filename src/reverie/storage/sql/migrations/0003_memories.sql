-- What is known of memories beside their files, and the blocks that sessions were given.

CREATE TABLE uses (
    memory TEXT PRIMARY KEY,
    uses INTEGER NOT NULL,
    last_used TEXT NOT NULL
);

CREATE TABLE tombstones (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    change INTEGER NOT NULL REFERENCES changes (id),
    fingerprint TEXT NOT NULL,
    words TEXT NOT NULL,
    memory TEXT NOT NULL,
    project TEXT NOT NULL,
    at TEXT NOT NULL,
    lifted INTEGER NOT NULL DEFAULT 0           -- the forgetting was undone
);

CREATE INDEX tombstones_change ON tombstones (change);
CREATE INDEX tombstones_fingerprint ON tombstones (fingerprint);

CREATE TABLE blocks (
    session TEXT NOT NULL,
    design TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (session, design)
);
