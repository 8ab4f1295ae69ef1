"""What other programs and places have, each read by a module that is loaded when it is asked for.

Files of other kinds (office, PDF, HTML, e-mails, Parquet) and in other places (``s3://``), models
of the Hugging Face Hub, Ollama and LM Studio, and completion in shells.
"""
