"""Every linter in one command: ``python -m tools.lint`` (``--fix`` formats and repairs)."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CPP = sorted(str(p) for p in (ROOT / "src").rglob("*") if p.suffix in (".cpp", ".h"))


def checks(*, fix: bool) -> dict[str, list[str]]:
    """Return each linter's name and command."""
    python = [sys.executable, "-m"]
    in_place = ["-i"] if fix else ["--dry-run", "-Werror"]
    return {
        "ruff check": [*python, "ruff", "check", *(["--fix"] if fix else []), "."],
        "ruff format": [*python, "ruff", "format", *([] if fix else ["--check"]), "."],
        "clang-format": [_script("clang-format"), *in_place, *CPP],
        "clang-tidy": [*python, "tools.tidy"],
        "C++ includes": [*python, "tools.includes"],
        "imports": [_script("lint-imports"), "--no-logo"],
        "mypy": [*python, "mypy"],
    }


def main() -> int:
    """Run all linters; return 1 if any fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format and fix files where possible")
    arguments = parser.parse_args()
    # Linters must check the checkout, not an installed package.
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    failed = []
    for name, command in checks(fix=arguments.fix).items():
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            failed.append(name)
    print(f"== failed: {', '.join(failed)}" if failed else "== all is well", flush=True)
    return 1 if failed else 0


def _script(name: str) -> str:
    """Return the path of a command installed with this Python."""
    return str(Path(sysconfig.get_path("scripts")) / name)


if __name__ == "__main__":
    sys.exit(main())
