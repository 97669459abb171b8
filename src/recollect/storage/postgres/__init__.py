"""PostgreSQL with pgvector: the same memory for a fleet of agents."""

from recollect.storage.postgres.engine import PostgresStorage
from recollect.storage.postgres.schema import PostgresSchema

__all__ = ["PostgresSchema", "PostgresStorage"]
