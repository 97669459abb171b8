"""Plain typed values, enums, ids and time; no I/O."""
