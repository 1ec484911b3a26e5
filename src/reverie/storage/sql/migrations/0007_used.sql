-- Each use of a memory with how it was seen, so that one evidence counts once and a person can look at it.

CREATE TABLE used (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory TEXT NOT NULL,
    how TEXT NOT NULL,                          -- 'opened', 'cited', 'read', 'applied'
    host TEXT NOT NULL DEFAULT '',
    session TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    times INTEGER NOT NULL DEFAULT 1,
    at TEXT NOT NULL
);

CREATE UNIQUE INDEX used_once ON used (memory, how, host, session, message);
CREATE INDEX used_how ON used (how, at);

INSERT INTO used (memory, how, times, at) SELECT memory, 'opened', uses, last_used FROM uses;

DROP TABLE uses;
