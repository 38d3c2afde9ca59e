"""How much memory is free: what the system says, within what the group of processes (a container) may take."""

from __future__ import annotations

from pathlib import Path

_SYSTEM, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Return the bytes of memory that can be taken without swapping; None where the system does not say."""
    bounds = [free for free in (_of_system(), _of_group()) if free is not None]
    return min(bounds, default=None)


def _of_system() -> int | None:
    """Free memory of the machine, with what the system holds only to be quicker."""
    fields = _numbers(_SYSTEM)
    return fields["MemAvailable:"] * 1024 if "MemAvailable:" in fields else None


def _of_group() -> int | None:
    """What is left of a container's bound; None without one."""
    try:
        bound = int((_GROUP / "memory.max").read_text(encoding="ascii"))
        taken = int((_GROUP / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such group, or "max"
        return None
    files = _numbers(_GROUP / "memory.stat").get("inactive_file", 0)
    return max(0, bound - taken + files)


def _numbers(path: Path) -> dict[str, int]:
    """Read lines of a name and a number; nothing where that cannot be read."""
    try:
        rows = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
        return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}
    except (OSError, ValueError):
        return {}
