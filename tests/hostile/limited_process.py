"""A process that reads files of anybody's with its memory and time limited by the operating system: one fork a file.

It imports the readers once. Each line on standard input names a reader of `READERS`, a path and the limits; the answer is a line that
says how the reading ended. More memory than the limit is a MemoryError, more time a signal: neither is an answer that a reader may give.
"""

import faulthandler
import json
import os
import resource
import signal
import sys
import time
import warnings
from pathlib import Path

from tests.hostile.readers import READERS, import_readers

PAGE = resource.getpagesize()


def answer(asked):
    """Read one file in this process, and say how that ended."""
    from embeddings.errors import KlyuchError

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    resource.setrlimit(resource.RLIMIT_AS, (taken + asked["memory"],) * 2)
    signal.alarm(asked["seconds"])
    os.environ["KLYUCH_HOME"] = asked["home"]
    os.environ["KLYUCH_DATA"] = asked["home"] + "/data"
    try:
        said = {"outcome": "read", "text": READERS[asked["reader"]](Path(asked["path"]))}
    except KlyuchError as error:
        said = {"outcome": "refused", "code": error.code, "text": str(error)}
    except BaseException as error:
        import traceback

        said = {"outcome": type(error).__name__, "text": traceback.format_exc()[-3000:]}
    return said | {"seconds": time.process_time()}


def main():
    """Answer until standard input ends."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    import_readers()
    for line in sys.stdin:
        asked = json.loads(line)
        out, into = os.pipe()
        child = os.fork()
        if not child:
            os.close(out)
            with os.fdopen(into, "w") as pipe:
                json.dump(answer(asked), pipe)
                pipe.flush()
                os._exit(0)
        os.close(into)
        with os.fdopen(out) as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        ended = {"outcome": f"ended by signal {os.WTERMSIG(status)}", "text": "", "seconds": 0}
        sys.stdout.write((said or json.dumps(ended)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
