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
