-- Memories whose text was changed or erased, the last ones: what is kept in memory of the store follows it by them.

CREATE TABLE rewritten (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    seq    INTEGER NOT NULL
) STRICT;
