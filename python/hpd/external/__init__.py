"""Readers of other file formats, remote files and model stores; each module is loaded on first use.

Office files, PDF, HTML, e-mails and Parquet; files at URLs (``s3://``); models of the Hugging Face
Hub, Ollama and LM Studio; and shell completion.
"""
