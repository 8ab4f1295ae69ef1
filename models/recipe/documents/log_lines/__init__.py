"""Lines that programs, machines and devices write into logs."""
