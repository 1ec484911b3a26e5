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
