-- The whole schema, as a new database gets it. An older one comes here by migrations/; a test holds that both agree.


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


-- What is known of memories beside their files, and the blocks that sessions were given.

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


-- Work that one of many processes does: who has it until when, how it ended, up to where it was done.

CREATE TABLE jobs (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'done', 'error')),
    worker TEXT NOT NULL DEFAULT '',
    token TEXT NOT NULL DEFAULT '',             -- of the claim that holds it; another one fences the older off
    started_at BIGINT,                          -- all times: seconds since 1970
    finished_at BIGINT,
    lease_until BIGINT,
    retry_at BIGINT,
    retry_remaining INTEGER NOT NULL,
    last_error TEXT,
    input_watermark BIGINT NOT NULL DEFAULT 0,
    last_success_watermark BIGINT,
    PRIMARY KEY (kind, key)
);

CREATE INDEX jobs_running ON jobs (kind, lease_until) WHERE status = 'running';


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


-- What models were asked: each call before it is made, and what it cost when it has ended.

CREATE TABLE calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    until TEXT NOT NULL,                        -- after that it has ended, or its process died
    flow TEXT NOT NULL,
    run TEXT NOT NULL,
    model TEXT NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0,           -- 0: reserved, and counted with the most that it can cost
    most_input INTEGER NOT NULL,
    most_output INTEGER NOT NULL,
    most_money INTEGER,                         -- millionths; NULL: the price is not known
    input INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0,
    cached INTEGER NOT NULL DEFAULT 0,          -- parts of the input
    written INTEGER NOT NULL DEFAULT 0,
    money INTEGER,
    known INTEGER NOT NULL DEFAULT 1,           -- 0: the provider did not say, the tokens are an estimate
    failure TEXT NOT NULL DEFAULT ''
);

CREATE INDEX calls_at ON calls (at);
CREATE INDEX calls_run ON calls (run);


-- The sessions of all hosts, as they were last found; and what phase 1 made of each, by design.

CREATE TABLE threads (
    host TEXT NOT NULL,
    session TEXT NOT NULL,
    path TEXT NOT NULL,
    cwd TEXT NOT NULL,
    branch TEXT NOT NULL,
    source TEXT NOT NULL,                       -- where it ran, in the host's words; '' where the host does not say
    of_agent INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    memory_mode TEXT NOT NULL CHECK (memory_mode IN ('enabled', 'disabled', 'polluted')),
    created_at BIGINT,                          -- all times: seconds since 1970
    updated_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (host, session)
);

CREATE INDEX threads_updated_at ON threads (updated_at DESC, session DESC);

CREATE TABLE stage1_outputs (
    design TEXT NOT NULL,
    host TEXT NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,                      -- the key of the project that the session was in: nothing crosses projects
    cwd TEXT NOT NULL,
    branch TEXT NOT NULL,
    path TEXT NOT NULL,
    actor TEXT NOT NULL,                        -- "rules", or the model
    source_updated_at BIGINT NOT NULL,
    raw_memory TEXT NOT NULL,
    rollout_summary TEXT NOT NULL,
    rollout_slug TEXT NOT NULL,
    generated_at BIGINT NOT NULL,
    usage_count INTEGER,
    last_usage BIGINT,
    selected_for_phase2 INTEGER NOT NULL DEFAULT 0,
    selected_for_phase2_source_updated_at BIGINT,
    change INTEGER,                             -- that put its files into the store, if one did; undone, it counts no more
    PRIMARY KEY (design, host, session)
);

CREATE INDEX stage1_outputs_source_updated_at ON stage1_outputs (source_updated_at DESC, session DESC);


-- One order over all that happens: each row only names what stands elsewhere, and what tables that change in place would forget.
-- Triggers write it, in the transaction of what happened: nobody can forget to, and nothing is told that did not happen.

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,       -- given in the order of the transactions, whatever the clock says
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    at TEXT NOT NULL,
    word TEXT NOT NULL DEFAULT '',              -- an outcome, a design, as it was then
    number INTEGER NOT NULL DEFAULT 0           -- a count, as it was then
);

CREATE TRIGGER events_run_started AFTER INSERT ON runs BEGIN
    INSERT INTO events (kind, ref, at) VALUES ('run_started', NEW.kind || '-' || NEW.number, NEW.started_at);
END;

CREATE TRIGGER events_run_ended AFTER UPDATE OF ended_at ON runs WHEN NEW.ended_at IS NOT NULL BEGIN
    INSERT INTO events (kind, ref, at, word) VALUES ('run_ended', NEW.kind || '-' || NEW.number, NEW.ended_at, NEW.outcome);
END;

CREATE TRIGGER events_change AFTER UPDATE OF status ON changes WHEN OLD.status = 'pending' AND NEW.status = 'done' BEGIN
    INSERT INTO events (kind, ref, at) VALUES (
        CASE WHEN NEW.is_undo THEN 'undo' WHEN NEW.operation = 'snapshot' THEN 'snapshot' ELSE 'change' END, NEW.id, NEW.at);
END;

CREATE TRIGGER events_session_read AFTER INSERT ON sessions BEGIN
    INSERT INTO events (kind, ref, at, word, number)
    VALUES ('session_read', NEW.host || ' ' || NEW.session, NEW.read_at, NEW.outcome, NEW.kept);
END;

CREATE TRIGGER events_session_read_again AFTER UPDATE ON sessions BEGIN
    INSERT INTO events (kind, ref, at, word, number)
    VALUES ('session_read', NEW.host || ' ' || NEW.session, NEW.read_at, NEW.outcome, NEW.kept);
END;

CREATE TRIGGER events_refused AFTER INSERT ON drops BEGIN
    INSERT INTO events (kind, ref, at, word) VALUES ('refused', NEW.id, NEW.at, NEW.reason);
END;

CREATE TRIGGER events_session_started AFTER INSERT ON blocks WHEN instr(NEW.design, ' ') = 0 BEGIN
    INSERT INTO events (kind, ref, at, word) VALUES ('session_started', NEW.session, NEW.created_at, NEW.design);
END;

CREATE TRIGGER events_used AFTER INSERT ON used BEGIN
    INSERT INTO events (kind, ref, at, word, number) VALUES ('used', NEW.memory, NEW.at, NEW.how, NEW.times);
END;

CREATE TRIGGER events_used_again AFTER UPDATE OF times ON used BEGIN
    INSERT INTO events (kind, ref, at, word, number) VALUES ('used', NEW.memory, NEW.at, NEW.how, NEW.times);
END;

CREATE TRIGGER events_model_call AFTER UPDATE OF ended ON calls WHEN NEW.ended AND NOT OLD.ended BEGIN
    INSERT INTO events (kind, ref, at, word, number) VALUES ('model_call', NEW.model, NEW.at, NEW.flow, NEW.input + NEW.output);
END;


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
