"""Technical specifications and data sheets."""
