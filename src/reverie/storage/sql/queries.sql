-- Everything that is asked of the database, under names. Each has a line that says what for.
-- Loaded by storage/database.py; tests/storage/test_database.py prepares each one and checks that it is used.


-- name: home_id
-- What tells this home's temporary files from another's, wherever it is moved.
SELECT id FROM home;

-- name: start_run
-- Begin a run; its number makes its id.
INSERT INTO runs (kind, started_at) VALUES (:kind, :at) RETURNING number;

-- name: end_run
-- Say how a run ended.
UPDATE runs SET ended_at = :at, outcome = :outcome, counts = :counts WHERE kind || '-' || number = :run;

-- name: newest_runs
-- The last runs, newest first.
SELECT * FROM runs ORDER BY number DESC LIMIT :limit;

-- name: counts_of_run
-- The changes of one run, with what each counted.
SELECT id, counts FROM changes WHERE run = :run ORDER BY id;


-- name: add_change
-- Announce a change before its files are written.
INSERT INTO changes (run, at, status, operation, actor, host, session, message, rule, why, counts, finish, is_undo)
VALUES (:run, :at, 'pending', :operation, :actor, :host, :session, :message, :rule, :why, :counts, :finish, :is_undo)
RETURNING id;

-- name: add_blob
-- Keep some bytes, once however often they occur.
INSERT INTO blobs (digest, data) VALUES (:digest, :data) ON CONFLICT (digest) DO NOTHING;

-- name: delete_blob
-- Let go bytes that may not be kept, whatever change would need them for its undo.
DELETE FROM blobs WHERE digest = :digest;

-- name: add_edit
-- Say what one file held and will hold.
INSERT INTO edits (change, place, path, root, derived, before, after, mode, mtime_ns)
VALUES (:change, :place, :path, :root, :derived, :before, :after, :mode, :mtime_ns);

-- name: add_touched
-- Say what a change means for one memory.
INSERT INTO touched (change, place, memory, action, name, message, rule, quote, before)
VALUES (:change, :place, :memory, :action, :name, :message, :rule, :quote, :before);

-- name: add_conflict
-- Remember a file that was left as it was.
INSERT INTO conflicts (change, path, reason, detail) VALUES (:change, :path, :reason, :detail);

-- name: finish_change
-- The files are written.
UPDATE changes SET status = 'done', finish = '[]' WHERE id = :change;

-- name: pending_changes
-- Announced, and not known to be finished: at work, or left by a process that died.
SELECT id, finish FROM changes WHERE status = 'pending' ORDER BY id;

-- name: abandon_edits
-- Take back an announcement: no file was changed.
DELETE FROM edits WHERE change = :change;

-- name: abandon_touched
-- Take back an announcement: no memory was touched.
DELETE FROM touched WHERE change = :change;

-- name: abandon_change
-- Take back an announcement. Its id is not given again.
DELETE FROM changes WHERE id = :change;

-- name: change
-- One change.
SELECT * FROM changes WHERE id = :change;

-- name: newest_changes
-- The last changes, newest first.
SELECT * FROM changes ORDER BY id DESC LIMIT :limit;

-- name: changes_of_run
-- The changes of a run, newest first.
SELECT * FROM changes WHERE run = :run ORDER BY id DESC LIMIT :limit;

-- name: changes_of_memory
-- The changes that touched a memory, newest first.
SELECT * FROM changes WHERE id IN (SELECT change FROM touched WHERE memory = :memory) ORDER BY id DESC LIMIT :limit;

-- name: undoable
-- The last changes that stand and did something: neither undone nor an undo themselves, newest first.
-- Bookkeeping (an index made again, a folder's owner written down, a session's state) is nothing that a person did and would take
-- back; by its number it can be.
SELECT id FROM changes WHERE undone_by IS NULL AND NOT is_undo AND operation NOT IN ('reindex', 'claim', 'snapshot') AND (
    EXISTS (SELECT 1 FROM edits WHERE edits.change = changes.id)
    OR EXISTS (SELECT 1 FROM tombstones WHERE tombstones.change = changes.id))
ORDER BY id DESC LIMIT :limit;

-- name: standing_of_run
-- The changes of a run that stand, newest first.
SELECT id FROM changes WHERE run = :run AND undone_by IS NULL AND NOT is_undo ORDER BY id DESC;

-- name: edits_of_change
-- The files of a change, in order.
SELECT * FROM edits WHERE change = :change ORDER BY place;

-- name: touched_by_change
-- The memories that a change touched, in order.
SELECT * FROM touched WHERE change = :change ORDER BY place;

-- name: conflicts_of_change
-- The files that a change left alone.
SELECT path, reason, detail FROM conflicts WHERE change = :change ORDER BY rowid;

-- name: undone_in
-- What an undo took back.
SELECT change FROM undoings WHERE undo = :change ORDER BY change;

-- name: blob
-- Some bytes by their digest.
SELECT data FROM blobs WHERE digest = :digest;

-- name: last_edit_of_path
-- The digest that the journal last wrote to a file, and by which change.
SELECT after, change FROM edits WHERE path = :path ORDER BY change DESC LIMIT 1;

-- name: known_files
-- What the journal last knew of the files from one path up to another, and since when.
SELECT edits.path, edits.after, changes.at FROM edits JOIN changes ON changes.id = edits.change
WHERE edits.path >= :low AND edits.path < :high
    AND edits.change = (SELECT max(later.change) FROM edits AS later WHERE later.path = edits.path)
ORDER BY edits.path;

-- name: mark_undone
-- A change is taken back: by the undo :by, or (NULL) by the one that is being carried out.
UPDATE changes SET undone_by = coalesce(:by, :change) WHERE id = :target;

-- name: mark_standing
-- A change stands again: what had taken it back is taken back itself.
UPDATE changes SET undone_by = NULL WHERE id = :target;

-- name: add_undoing
-- Remember which undo took a change back, whatever is redone later.
INSERT INTO undoings (undo, change) VALUES (:change, :target);

-- name: bytes_held
-- What each change keeps for its undo, newest first.
SELECT changes.id, changes.at, coalesce(sum(length(blobs.data)), 0) AS size
FROM changes
LEFT JOIN edits ON edits.change = changes.id
LEFT JOIN blobs ON blobs.digest IN (edits.before, edits.after)
WHERE NOT changes.pruned AND changes.status = 'done'
GROUP BY changes.id ORDER BY changes.id DESC;

-- name: mark_pruned
-- A change gives up its bytes: it stays known, and cannot be undone.
UPDATE changes SET pruned = 1 WHERE id = :change;

-- name: unused_bytes
-- The size of the bytes that no change needs any more.
SELECT coalesce(sum(length(data)), 0) AS size FROM blobs WHERE digest NOT IN (
    SELECT before FROM edits JOIN changes ON changes.id = edits.change WHERE NOT pruned AND before IS NOT NULL
    UNION SELECT after FROM edits JOIN changes ON changes.id = edits.change WHERE NOT pruned AND after IS NOT NULL);

-- name: delete_unused_blobs
-- Let the bytes go that no change needs any more.
DELETE FROM blobs WHERE digest NOT IN (
    SELECT before FROM edits JOIN changes ON changes.id = edits.change WHERE NOT pruned AND before IS NOT NULL
    UNION SELECT after FROM edits JOIN changes ON changes.id = edits.change WHERE NOT pruned AND after IS NOT NULL);


-- name: cursor
-- How far a transcript was read, and its stamp then.
SELECT * FROM cursors WHERE key = :key;

-- name: cursors_below
-- How far things were read whose keys lie in this range.
SELECT * FROM cursors WHERE key >= :low AND key < :high ORDER BY key;

-- name: set_cursor
-- A transcript was read up to here.
INSERT INTO cursors (key, position, mark, context, messages, size, mtime_ns, inode, at)
VALUES (:key, :position, :mark, :context, :messages, :size, :mtime_ns, :inode, :at)
ON CONFLICT (key) DO UPDATE SET position = excluded.position, mark = excluded.mark, context = excluded.context,
    messages = excluded.messages, size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode,
    at = excluded.at;

-- name: session
-- What became of one session.
SELECT * FROM sessions WHERE host = :host AND session = :session;

-- name: set_session
-- A session was read: its outcome and its counts so far.
INSERT INTO sessions (host, session, path, cwd, project, outcome, detail, messages, proposals, kept, drops, skipped,
    last_at, run, read_at, turn)
VALUES (:host, :session, :path, :cwd, :project, :outcome, :detail, :messages, :proposals, :kept, :drops, :skipped,
    :last_at, :run, :read_at, (SELECT coalesce(max(turn), 0) + 1 FROM sessions))
ON CONFLICT (host, session) DO UPDATE SET path = excluded.path, cwd = excluded.cwd, project = excluded.project,
    outcome = excluded.outcome, detail = excluded.detail, messages = excluded.messages,
    proposals = excluded.proposals, kept = excluded.kept, drops = excluded.drops, skipped = excluded.skipped,
    last_at = excluded.last_at, run = excluded.run, read_at = excluded.read_at, turn = excluded.turn;

-- name: sessions
-- The sessions that were read last, newest first.
SELECT * FROM sessions WHERE (:host = '' OR host = :host) AND (:outcome = '' OR outcome = :outcome)
ORDER BY turn DESC LIMIT :limit;

-- name: count_sessions
-- How many sessions ended how, by host.
SELECT host, outcome, count(*) AS sessions FROM sessions GROUP BY host, outcome ORDER BY host, outcome;

-- name: add_drop
-- Keep a refusal; the same one again only moves to the newer run.
INSERT INTO drops (host, session, message, reason, quote, run, at)
VALUES (:host, :session, :message, :reason, :quote, :run, :at)
ON CONFLICT (host, session, message, reason, quote) DO UPDATE SET run = excluded.run, at = excluded.at;

-- name: drops
-- Refusals, newest first.
SELECT * FROM drops
WHERE (:run = '' OR run = :run) AND (:session = '' OR session = :session) AND (:host = '' OR host = :host)
    AND (:words = '' OR instr(lower(quote), lower(:words)) > 0)
ORDER BY id DESC LIMIT :limit;

-- name: prune_drops
-- Keep only the newest refusals.
DELETE FROM drops WHERE id <= (SELECT id FROM drops ORDER BY id DESC LIMIT 1 OFFSET :newest);

-- name: place
-- Which project a path was, when it was last seen.
SELECT identity FROM places WHERE path = :path;

-- name: set_place
-- A path was seen, and belonged to this project.
INSERT INTO places (path, identity, seen_at) VALUES (:path, :identity, :at)
ON CONFLICT (path) DO UPDATE SET identity = excluded.identity, seen_at = excluded.seen_at;

-- name: places
-- Every path that was seen, with its project.
SELECT path, identity FROM places ORDER BY path;


-- name: add_use
-- A memory was of use. What one message shows counts once; without a message each time counts.
INSERT INTO used (memory, how, host, session, message, at) VALUES (:memory, :how, :host, :session, :message, :at)
ON CONFLICT (memory, how, host, session, message) DO UPDATE
SET times = used.times + 1, at = max(used.at, excluded.at) WHERE excluded.message = '';

-- name: use
-- How often one memory was of use.
SELECT sum(times) AS uses, max(at) AS last_used FROM used WHERE memory = :memory GROUP BY memory;

-- name: uses
-- How often each memory was of use.
SELECT memory, sum(times) AS uses, max(at) AS last_used FROM used GROUP BY memory ORDER BY memory;

-- name: uses_of
-- Every use of one memory, the latest first.
SELECT memory, how, host, session, message, times, at FROM used WHERE memory = :memory ORDER BY at DESC, id DESC;

-- name: uses_by_kind
-- How often, and when last, memories were of use in each way, as one host's sessions show it.
SELECT how, sum(times) AS uses, max(at) AS last_used FROM used WHERE host = :host GROUP BY how;

-- name: sessions_since
-- How many sessions of a host in which something was said were read since a time.
SELECT count(*) AS sessions FROM sessions WHERE host = :host AND messages > 0 AND last_at > :at;

-- name: add_tombstone
-- The user had something forgotten.
INSERT INTO tombstones (change, fingerprint, words, memory, project, at)
VALUES (:change, :fingerprint, :words, :memory, :project, :at);

-- name: lift_tombstones
-- A forgetting was undone (1), or stands again (0).
UPDATE tombstones SET lifted = :lifted WHERE change = :target;

-- name: tombstones
-- What must not be learned again.
SELECT fingerprint, words, memory, project, at FROM tombstones
WHERE NOT lifted AND (:every_project OR project IN ('', :project)) ORDER BY id;

-- name: block
-- The block that a session was given.
SELECT text FROM blocks WHERE session = :session AND design = :design;

-- name: add_block
-- Freeze a session's block; the first one stays.
INSERT INTO blocks (session, design, text, created_at) VALUES (:session, :design, :text, :at)
ON CONFLICT (session, design) DO NOTHING;

-- name: set_block
-- A session's block becomes another one.
INSERT INTO blocks (session, design, text, created_at) VALUES (:session, :design, :text, :at)
ON CONFLICT (session, design) DO UPDATE SET text = excluded.text;

-- name: prune_blocks
-- Let go the blocks of sessions that began before this time.
DELETE FROM blocks WHERE created_at < :before;


-- name: claim_job
-- Take a job, if it is free, not done up to here, may be tried (again), and not too many of its kind are at work.
-- The conditions stand in the statement itself, so that no two claims can both find them true.
INSERT INTO jobs AS job (kind, key, status, worker, token, started_at, lease_until, retry_remaining, input_watermark)
SELECT :kind, :key, 'running', :worker, :token, :now, :lease_until, :retries, :watermark
WHERE :at_most = 0 OR :at_most > (
    SELECT count(*) FROM jobs WHERE kind = :kind AND key <> :key AND status = 'running' AND lease_until > :now)
ON CONFLICT (kind, key) DO UPDATE SET status = 'running', worker = excluded.worker, token = excluded.token,
    started_at = excluded.started_at, finished_at = NULL, lease_until = excluded.lease_until, retry_at = NULL,
    last_error = NULL,
    retry_remaining = CASE WHEN excluded.input_watermark > job.input_watermark OR :force AND job.retry_remaining < 1
        THEN excluded.retry_remaining ELSE job.retry_remaining END,
    input_watermark = CASE WHEN excluded.input_watermark > job.input_watermark
        THEN excluded.input_watermark ELSE job.input_watermark END
WHERE (job.last_success_watermark IS NULL OR job.last_success_watermark < excluded.input_watermark)
    AND (job.status <> 'running' OR job.lease_until IS NULL OR job.lease_until <= :now)
    AND (:force OR excluded.input_watermark > job.input_watermark
        OR job.retry_remaining > 0 AND (job.retry_at IS NULL OR job.retry_at <= :now))
RETURNING input_watermark;

-- name: claim_global_job
-- Take a job that is done for all at once: no watermark decides, but a pause after a success, and one after a failure.
INSERT INTO jobs AS job (kind, key, status, worker, token, started_at, lease_until, retry_remaining)
VALUES (:kind, :key, 'running', :worker, :token, :now, :lease_until, :retries)
ON CONFLICT (kind, key) DO UPDATE SET status = 'running', worker = excluded.worker, token = excluded.token,
    started_at = excluded.started_at, finished_at = NULL, lease_until = excluded.lease_until, retry_at = NULL,
    last_error = NULL
WHERE (:force OR job.retry_at IS NULL OR job.retry_at <= :now)
    AND (job.status <> 'running' OR job.lease_until IS NULL OR job.lease_until <= :now OR job.worker = :dead)
    AND (:force OR job.last_error IS NOT NULL OR job.finished_at IS NULL OR job.finished_at <= :cooled)
RETURNING input_watermark;

-- name: job
-- One job.
SELECT * FROM jobs WHERE kind = :kind AND key = :key;

-- name: jobs
-- The jobs of a kind.
SELECT * FROM jobs WHERE kind = :kind ORDER BY key;

-- name: due_jobs
-- What waits to be done, the longest waiting first: announced or grown, held by nobody, not waiting for another try.
SELECT * FROM jobs WHERE kind = :kind AND (last_success_watermark IS NULL OR last_success_watermark < input_watermark)
    AND (status <> 'running' OR lease_until IS NULL OR lease_until <= :now)
    AND (retry_at IS NULL OR retry_at <= :now) AND retry_remaining > 0
ORDER BY coalesce(started_at, 0), key LIMIT :limit;

-- name: held_job
-- The job of a claim, if the claim still holds it.
SELECT * FROM jobs WHERE kind = :kind AND key = :key AND status = 'running' AND token = :token;

-- name: extend_job
-- Whoever holds a job is still at it.
UPDATE jobs SET lease_until = :lease_until
WHERE kind = :kind AND key = :key AND status = 'running' AND token = :token RETURNING key;

-- name: finish_job
-- A job is done up to a watermark, by whoever holds it.
UPDATE jobs SET status = 'done', finished_at = :now, lease_until = NULL, last_error = NULL, retry_at = NULL,
    last_success_watermark = CASE WHEN last_success_watermark > :watermark
        THEN last_success_watermark ELSE :watermark END
WHERE kind = :kind AND key = :key AND status = 'running' AND token = :token RETURNING key;

-- name: fail_job
-- A job failed in the hands of whoever holds it: one try less, and a pause.
UPDATE jobs SET status = 'error', finished_at = :now, lease_until = NULL, last_error = :error, retry_at = :retry_at,
    retry_remaining = retry_remaining - 1
WHERE kind = :kind AND key = :key AND status = 'running' AND token = :token RETURNING key;

-- name: release_job
-- A job is given back untried by whoever holds it.
UPDATE jobs SET status = 'pending', lease_until = NULL, retry_at = :retry_at
WHERE kind = :kind AND key = :key AND status = 'running' AND token = :token RETURNING key;

-- name: enqueue_job
-- There is something to do: the watermark grows in any case, and with it the tries.
INSERT INTO jobs AS job (kind, key, status, retry_remaining, input_watermark)
VALUES (:kind, :key, 'pending', :retries, :watermark)
ON CONFLICT (kind, key) DO UPDATE SET
    status = CASE WHEN job.status = 'running' THEN job.status ELSE 'pending' END,
    retry_at = CASE WHEN job.status = 'running' THEN job.retry_at END,
    retry_remaining = CASE WHEN job.retry_remaining > excluded.retry_remaining
        THEN job.retry_remaining ELSE excluded.retry_remaining END,
    input_watermark = CASE WHEN excluded.input_watermark > job.input_watermark
        THEN excluded.input_watermark ELSE job.input_watermark + 1 END;


-- name: reserve_call
-- A model is about to be called; counted with the most that it can cost until it has ended.
INSERT INTO calls (at, until, flow, run, model, most_input, most_output, most_money)
VALUES (:at, :until, :flow, :run, :model, :most_input, :most_output, :most_money)
RETURNING id;

-- name: settle_call
-- A call has ended, and cost this.
UPDATE calls SET ended = 1, input = :input, output = :output, cached = :cached, written = :written, money = :money,
    known = :known, failure = :failure
WHERE id = :id;

-- name: spent_since
-- What was spent or is reserved since a time; at_work is what may still come back.
SELECT count(*) AS calls,
    coalesce(sum(CASE WHEN ended THEN input + output ELSE most_input + most_output END), 0) AS tokens,
    coalesce(sum(CASE WHEN ended THEN money ELSE most_money END), 0) AS money,
    coalesce(sum(CASE WHEN NOT ended AND until > :now THEN most_input + most_output ELSE 0 END), 0) AS at_work,
    coalesce(sum(CASE WHEN NOT ended AND until > :now THEN most_money ELSE 0 END), 0) AS money_at_work,
    coalesce(sum(CASE WHEN ended THEN money IS NULL ELSE most_money IS NULL END), 0) AS unpriced
FROM calls WHERE at >= :since;

-- name: spent_by_run
-- What one run has spent or reserved, at_work as above.
SELECT count(*) AS calls,
    coalesce(sum(CASE WHEN ended THEN input + output ELSE most_input + most_output END), 0) AS tokens,
    coalesce(sum(CASE WHEN ended THEN money ELSE most_money END), 0) AS money,
    coalesce(sum(CASE WHEN NOT ended AND until > :now THEN most_input + most_output ELSE 0 END), 0) AS at_work,
    coalesce(sum(CASE WHEN NOT ended AND until > :now THEN most_money ELSE 0 END), 0) AS money_at_work,
    coalesce(sum(CASE WHEN ended THEN money IS NULL ELSE most_money IS NULL END), 0) AS unpriced
FROM calls WHERE run = :run;

-- name: calls_by_day
-- The calls since a time, summed by day, flow and model.
SELECT substr(at, 1, 10) AS day, flow, model, count(*) AS calls, sum(input) AS input, sum(output) AS output,
    sum(cached) AS cached, sum(CASE WHEN ended THEN 0 ELSE most_input + most_output END) AS lost,
    sum(CASE WHEN ended THEN money ELSE most_money END) AS money, sum(NOT known) AS estimated,
    sum(failure <> '') AS failed, sum(input + output > most_input + most_output) AS over
FROM calls WHERE at >= :since
GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3;


-- name: see_thread
-- A session was found. One that the user excluded stays excluded, and one that was polluted stays so.
INSERT INTO threads AS thread (host, session, path, cwd, branch, source, of_agent, archived, memory_mode, created_at,
    updated_at, seen_at)
VALUES (:host, :session, :path, :cwd, :branch, :source, :of_agent, :archived, :memory_mode, :created_at, :updated_at,
    :seen_at)
ON CONFLICT (host, session) DO UPDATE SET path = excluded.path, cwd = excluded.cwd, branch = excluded.branch,
    source = excluded.source, of_agent = excluded.of_agent, archived = excluded.archived,
    memory_mode = CASE WHEN thread.memory_mode = 'enabled' THEN excluded.memory_mode ELSE thread.memory_mode END,
    created_at = excluded.created_at, updated_at = excluded.updated_at, seen_at = excluded.seen_at;

-- name: set_memory_mode
-- Whether a session may be extracted.
UPDATE threads SET memory_mode = :memory_mode WHERE host = :host AND session = :session;

-- name: thread
-- One session as it was last found.
SELECT * FROM threads WHERE host = :host AND session = :session;

-- name: judged_threads
-- The sessions that a look found, newest first, and why phase 1 may not take each of them now (spec/codex §5).
-- It takes what nothing speaks against: a person's, at rest, not too old, and grown since it was last extracted or found to
-- hold nothing.
SELECT thread.host, thread.session, thread.updated_at, CASE
    WHEN thread.of_agent = 1 THEN 'sub_agent'
    WHEN thread.archived = 1 THEN 'archived'
    WHEN thread.memory_mode <> 'enabled' THEN thread.memory_mode
    WHEN NOT :headless AND thread.source NOT IN ('', 'cli', 'vscode', 'atlas', 'chatgpt', 'claude-vscode', 'claude-desktop')
        THEN 'headless'
    WHEN thread.session = :current THEN 'at_hand'
    WHEN output.source_updated_at >= thread.updated_at OR job.last_success_watermark >= thread.updated_at THEN 'up_to_date'
    WHEN thread.updated_at > :newest THEN 'not_idle'
    WHEN thread.updated_at < :oldest THEN 'too_old'
    ELSE '' END AS verdict
FROM threads AS thread
LEFT JOIN stage1_outputs AS output
    ON output.design = :design AND output.host = thread.host AND output.session = thread.session
LEFT JOIN jobs AS job
    ON job.kind = :kind AND job.key = :design || '|' || thread.host || '|' || thread.session
WHERE thread.seen_at >= :seen_at
ORDER BY thread.updated_at DESC, thread.session DESC;

-- name: put_stage1_output
-- What phase 1 made of a session, unless something newer is there. How often it was used stays known.
INSERT INTO stage1_outputs AS output (design, host, session, project, cwd, branch, path, actor, source_updated_at,
    raw_memory, rollout_summary, rollout_slug, generated_at, change)
VALUES (:design, :host, :session, :project, :cwd, :branch, :path, :actor, :source_updated_at, :raw_memory,
    :rollout_summary, :rollout_slug, :generated_at, :change)
ON CONFLICT (design, host, session) DO UPDATE SET project = excluded.project, cwd = excluded.cwd,
    branch = excluded.branch, path = excluded.path, actor = excluded.actor,
    source_updated_at = excluded.source_updated_at, raw_memory = excluded.raw_memory,
    rollout_summary = excluded.rollout_summary, rollout_slug = excluded.rollout_slug,
    generated_at = excluded.generated_at, change = excluded.change
WHERE excluded.source_updated_at >= output.source_updated_at;

-- name: drop_stage1_output
-- A session has nothing (any more) that is worth keeping.
DELETE FROM stage1_outputs WHERE design = :design AND host = :host AND session = :session;

-- name: stage1_output
-- What phase 1 made of one session.
SELECT * FROM stage1_outputs WHERE design = :design AND host = :host AND session = :session;

-- name: stage1_projects
-- Of which projects the sessions with this id were, of whatever agent.
SELECT DISTINCT project FROM stage1_outputs WHERE design = :design AND session = :session;

-- name: stage1_outputs
-- What phase 1 made of all sessions; what an undo took back is left out.
SELECT * FROM stage1_outputs AS output WHERE design = :design AND NOT EXISTS (
    SELECT 1 FROM changes WHERE changes.id = output.change AND changes.undone_by IS NOT NULL)
ORDER BY session, host;

-- name: credit_stage1_output
-- What a session gave was of use: as often as it was counted, so that telling it twice changes nothing.
UPDATE stage1_outputs SET usage_count = (SELECT sum(times) FROM used WHERE memory = :memory),
    last_usage = CASE WHEN last_usage > :at THEN last_usage ELSE :at END
WHERE design = :design AND session = :session;


-- name: events_after
-- What happened after an event, in order.
SELECT * FROM events WHERE id > :after ORDER BY id LIMIT :limit;

-- name: events_kept
-- The first and the last event that are kept.
SELECT coalesce(min(id), 0) AS first, coalesce(max(id), 0) AS last FROM events;

-- name: drop
-- One refusal.
SELECT * FROM drops WHERE id = :drop;


-- name: tell
-- What a stage did: its fields stand in the event itself, as JSON.
INSERT INTO events (kind, ref, at, word, number) VALUES (:kind, :ref, :at, :word, :number);


-- name: prune_events
-- Keep only the newest events.
DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - :newest;


-- name: phase2_inputs
-- What phase 2 works from, the most used first (spec/codex §8.2).
-- It was used within the window, or, if it never was, learned within it, in a session that nobody excluded. Archived
-- sessions stay; what an undo took back is left out.
SELECT output.* FROM stage1_outputs AS output
JOIN threads AS thread ON thread.host = output.host AND thread.session = output.session
WHERE output.design = :design AND thread.memory_mode = 'enabled'
    AND (trim(output.raw_memory) <> '' OR trim(output.rollout_summary) <> '')
    AND coalesce(output.last_usage, output.source_updated_at) >= :oldest
    AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.id = output.change AND changes.undone_by IS NOT NULL)
ORDER BY coalesce(output.usage_count, 0) DESC, coalesce(output.last_usage, output.source_updated_at) DESC,
    output.source_updated_at DESC, output.session DESC, output.host DESC
LIMIT :limit;

-- name: welcome_old_outputs
-- What a person had extracted just now although it is old gets the time of something new, to be of use.
UPDATE stage1_outputs SET last_usage = generated_at
WHERE design = :design AND last_usage IS NULL AND source_updated_at < :oldest AND generated_at >= :since;

-- name: phase2_expiring
-- What the last consolidation worked from and what has had its time since, the youngest first.
SELECT output.* FROM stage1_outputs AS output
JOIN threads AS thread ON thread.host = output.host AND thread.session = output.session
WHERE output.design = :design AND thread.memory_mode = 'enabled' AND output.selected_for_phase2 = 1
    AND coalesce(output.last_usage, output.source_updated_at) < :oldest
    AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.id = output.change AND changes.undone_by IS NOT NULL)
ORDER BY coalesce(output.last_usage, output.source_updated_at) DESC, output.source_updated_at DESC, output.session DESC,
    output.host DESC;

-- name: count_selected
-- How much the last consolidation worked from.
SELECT count(*) AS outputs FROM stage1_outputs WHERE design = :design AND selected_for_phase2 = 1;

-- name: prune_stage1_outputs
-- Delete what has had its time and is no part of the last consolidation, the stalest first (spec/codex §8.3).
DELETE FROM stage1_outputs WHERE (design, host, session) IN (
    SELECT design, host, session FROM stage1_outputs
    WHERE design = :design AND selected_for_phase2 = 0 AND coalesce(last_usage, source_updated_at) < :oldest
    ORDER BY coalesce(last_usage, source_updated_at), session, host LIMIT :batch)
RETURNING session;

-- name: clear_selection
-- The last consolidation is no longer the last one.
UPDATE stage1_outputs SET selected_for_phase2 = 0, selected_for_phase2_source_updated_at = NULL
WHERE design = :design AND selected_for_phase2 = 1;

-- name: mark_selected
-- What the last consolidation worked from, as far as it is still the same.
UPDATE stage1_outputs SET selected_for_phase2 = 1, selected_for_phase2_source_updated_at = :source_updated_at
WHERE design = :design AND host = :host AND session = :session AND source_updated_at = :source_updated_at;

-- name: team_files
-- What is known of a team's files.
SELECT * FROM team_files WHERE label = :label;

-- name: add_team_file
-- Who committed a content of a file, or that it was judged; an earlier word of a person stands.
INSERT INTO team_files (label, path, digest, verdict, reason, rules, author, commit_id, committed_at, at)
VALUES (:label, :path, :digest, :verdict, :reason, :rules, :author, :commit_id, :committed_at, :at)
ON CONFLICT (label, path, digest) DO UPDATE SET
    verdict = CASE WHEN excluded.verdict IN ('accepted', 'rejected') OR verdict NOT IN ('accepted', 'rejected')
        THEN coalesce(nullif(excluded.verdict, ''), verdict) ELSE verdict END,
    reason = coalesce(nullif(excluded.reason, ''), reason),
    rules = coalesce(nullif(excluded.rules, ''), rules),
    author = coalesce(nullif(excluded.author, ''), author),
    commit_id = coalesce(nullif(excluded.commit_id, ''), commit_id),
    committed_at = coalesce(nullif(excluded.committed_at, ''), committed_at),
    at = excluded.at;

-- name: prune_team_files
-- Let go what was known of contents seen long ago; what a person decided stays.
DELETE FROM team_files WHERE label = :label AND verdict NOT IN ('accepted', 'rejected') AND (path, digest) NOT IN (
    SELECT path, digest FROM team_files WHERE label = :label ORDER BY at DESC LIMIT :newest);

-- name: add_team_commit
-- A commit that Reverie made.
INSERT OR IGNORE INTO team_commits (label, id, at) VALUES (:label, :id, :at);

-- name: team_commits
-- The commits that Reverie made for a team's folder.
SELECT id FROM team_commits WHERE label = :label;
