"""All that depends on this computer: model files, hardware, tuned settings."""
