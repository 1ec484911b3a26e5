-- What teammates wrote: who committed which content of a file, and whether it may be shown. The files are in the checkouts.

CREATE TABLE team_files (
    label TEXT NOT NULL,                        -- of the store
    path TEXT NOT NULL,
    digest TEXT NOT NULL,                       -- of the file's bytes
    verdict TEXT NOT NULL DEFAULT '',           -- 'clean', 'accepted', 'rejected'; '': only the author is known
    reason TEXT NOT NULL DEFAULT '',
    rules TEXT NOT NULL DEFAULT '',             -- by which rules it was judged
    author TEXT NOT NULL DEFAULT '',
    commit_id TEXT NOT NULL DEFAULT '',
    committed_at TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL,
    PRIMARY KEY (label, path, digest)
);

-- The commits that Reverie made: a branch that is ahead by these alone is not ahead by anybody's work.
CREATE TABLE team_commits (
    label TEXT NOT NULL,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (label, id)
);
