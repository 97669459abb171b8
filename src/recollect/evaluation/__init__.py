"""Measuring recall on data sets of conversations and questions."""

from recollect.evaluation.dataset import Dataset, load_dataset
from recollect.evaluation.run import Report, evaluate

__all__ = ["Dataset", "Report", "evaluate", "load_dataset"]
