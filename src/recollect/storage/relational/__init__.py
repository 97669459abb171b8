"""What both engines do in the same way: rows, reading, searching and writing over named queries."""
