"""Commands of benchmarking, one module each."""
