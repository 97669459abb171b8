"""Ingest: files that are dropped into a folder become memories."""

from recollect.ingest.ingest import Ingest
from recollect.ingest.report import FileReport, IngestReport
from recollect.ingest.store import FileStore

__all__ = ["FileReport", "FileStore", "Ingest", "IngestReport"]
