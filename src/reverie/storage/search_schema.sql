-- The search index: derived from the Markdown of all mounted stores, never the only place of anything. Deleted, it is
-- built again. Tables that change are
-- built anew (VERSION in search.py), never migrated.

-- A folder that was read. `state` is a fingerprint of all its files; equal to what a scan finds, nothing has changed.
create table source (
    id integer primary key,
    root text not null unique,
    version text not null,
    state text not null
);

-- What a file looked like when it was read. `settled` is 0 while a second change within the clock's grain could hide
-- behind the same size and time: such a file is compared by content once more.
create table file (
    source integer not null,
    path text not null,
    size integer not null,
    modified_ns integer not null,
    inode integer not null,
    digest integer not null,
    settled integer not null,
    primary key (source, path)
) without rowid;

-- Whose a memory is: nothing is ever found across labels.
create table label (
    id integer primary key,
    name text not null unique,
    memories integer not null default 0,
    words integer not null default 0
);

create table memory (
    key integer primary key,
    source integer not null,
    path text not null,
    label integer not null,
    length integer not null,    -- words, meanings not counted
    terms text not null,        -- term, packed fields, term, packed fields, … one a line
    shown text not null         -- what a candidate shows, as JSON
);
create index memory_of_file on memory (source, path);

-- Which memories of a label hold a term: one unsigned 32-bit number each, see _entry in search.py. Cut into segments of
-- neighbouring keys, so that one changed file rewrites little.
create table posting (
    label integer not null,
    term text not null,
    segment integer not null,
    entries blob not null,
    primary key (label, term, segment)
) without rowid;
