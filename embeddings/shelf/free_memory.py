"""How much memory is free now."""

from __future__ import annotations

from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")  # what a container may take


def free_memory() -> int | None:
    """Return the bytes of memory that are free for a new process; None where the system does not say."""
    free = _of_system()
    limit = _of_container()
    return min(free, limit) if free is not None and limit is not None else free


def _of_system() -> int | None:
    """Bytes that the kernel calls available."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return None
    return None


def _of_container() -> int | None:
    """Bytes that are left of a container's bound (cgroup v2); None without one."""
    try:
        most, taken = (
            int((_GROUP / name).read_text(encoding="ascii"))
            for name in ("memory.max", "memory.current")
        )
    except (OSError, ValueError):  # "max": no bound
        return None
    return max(0, most - taken)
