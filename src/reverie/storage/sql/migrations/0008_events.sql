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

-- What the journal holds from before; of the rest no order is known any more.
INSERT INTO events (kind, ref, at)
SELECT CASE WHEN is_undo THEN 'undo' ELSE 'change' END, id, at FROM changes WHERE status = 'done' ORDER BY id;

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
