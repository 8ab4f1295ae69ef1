"""A page that shows extractions: each document with its values, and what they add up to."""

from hpd.evaluation.report.documents import ReportedDocument, reported_documents
from hpd.evaluation.report.page import AgainstGold, report_page

__all__ = ["AgainstGold", "ReportedDocument", "report_page", "reported_documents"]
