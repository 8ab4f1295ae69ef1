"""Model files, hardware, and tuned settings of this computer."""
