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
