"""Ingestion jobs: kept in their tenant's database, run by whichever process of the API is free."""

from api.jobs.runner import JobRunner
from api.jobs.work import FileWork, FolderWork, Work

__all__ = ["FileWork", "FolderWork", "JobRunner", "Work"]
