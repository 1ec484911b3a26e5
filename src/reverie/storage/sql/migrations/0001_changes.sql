-- The journal: runs, the changes they made, the bytes before and after, what it meant for memories.

CREATE TABLE home (
    id TEXT NOT NULL                            -- tells the temporary files of two homes in one folder apart
);

INSERT INTO home (id) VALUES (lower(hex(randomblob(4))));

CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT NOT NULL DEFAULT '',
    counts TEXT NOT NULL DEFAULT '{}'
);

CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,       -- never given twice: the order of changes, whatever the clock says
    run TEXT NOT NULL,
    at TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'done')),
    operation TEXT NOT NULL,
    actor TEXT NOT NULL,
    host TEXT NOT NULL,
    session TEXT NOT NULL,
    message TEXT NOT NULL,
    rule TEXT NOT NULL,
    why TEXT NOT NULL,
    counts TEXT NOT NULL,
    finish TEXT NOT NULL,                       -- JSON: named statements that become true with the files
    is_undo INTEGER NOT NULL DEFAULT 0,
    undone_by INTEGER REFERENCES changes (id),  -- as things stand now; a redo clears it
    pruned INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX changes_pending ON changes (id) WHERE status = 'pending';
CREATE INDEX changes_run ON changes (run);
CREATE INDEX changes_undone_by ON changes (undone_by);

CREATE TABLE undoings (
    undo INTEGER NOT NULL REFERENCES changes (id),
    change INTEGER NOT NULL REFERENCES changes (id),
    PRIMARY KEY (undo, change)
);

CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,                    -- SHA-256 of the bytes
    data BLOB NOT NULL                          -- the bytes, packed with zlib
);

CREATE TABLE edits (
    change INTEGER NOT NULL REFERENCES changes (id),
    place INTEGER NOT NULL,
    path TEXT NOT NULL,
    root TEXT NOT NULL,
    derived INTEGER NOT NULL,
    before TEXT,                                -- digests; NULL: no such file. Gone from blobs: pruned
    after TEXT,
    mode INTEGER NOT NULL,                      -- of the file before, or of a new one
    mtime_ns INTEGER,                           -- of the file before
    PRIMARY KEY (change, place)
);

CREATE INDEX edits_path ON edits (path);

CREATE TABLE conflicts (
    change INTEGER NOT NULL REFERENCES changes (id),
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL
);

CREATE INDEX conflicts_change ON conflicts (change);

CREATE TABLE touched (
    change INTEGER NOT NULL REFERENCES changes (id),
    place INTEGER NOT NULL,
    memory TEXT NOT NULL,
    action TEXT NOT NULL,
    name TEXT NOT NULL,
    message TEXT NOT NULL,
    rule TEXT NOT NULL,
    quote TEXT NOT NULL,
    before TEXT NOT NULL,
    PRIMARY KEY (change, place)
);

CREATE INDEX touched_memory ON touched (memory);
