-- What was read: how far, what became of it, what was refused; and where projects were seen.

CREATE TABLE cursors (
    key TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    mark TEXT NOT NULL,
    context INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    size INTEGER,                               -- the transcript's stamp: the same again, and nothing is new in it
    mtime_ns INTEGER,
    inode INTEGER,
    at TEXT NOT NULL
);

CREATE TABLE sessions (
    host TEXT NOT NULL,
    session TEXT NOT NULL,
    path TEXT NOT NULL,
    cwd TEXT NOT NULL,
    project TEXT NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    messages INTEGER NOT NULL,
    proposals INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    drops TEXT NOT NULL,
    skipped TEXT NOT NULL,
    last_at TEXT,
    run TEXT NOT NULL,
    read_at TEXT NOT NULL,
    turn INTEGER NOT NULL,                      -- counts readings: the order of sessions, whatever the clock says
    PRIMARY KEY (host, session)
);

CREATE INDEX sessions_turn ON sessions (turn);

CREATE TABLE drops (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host TEXT NOT NULL,
    session TEXT NOT NULL,
    message TEXT NOT NULL,
    reason TEXT NOT NULL,
    quote TEXT NOT NULL,
    run TEXT NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (host, session, message, reason, quote)
);

CREATE INDEX drops_run ON drops (run);

CREATE TABLE places (
    path TEXT PRIMARY KEY,
    identity TEXT NOT NULL,
    seen_at TEXT NOT NULL
);
