#!/usr/bin/env bash
# Prints the median time in seconds of docx2txt (PyPI) for a document: docx2txt.sh FILE ROUNDS
set -euo pipefail
exec "${PYTHON:-python3}" - "$@" <<'PYTHON'
import statistics, sys, time
import docx2txt

def timed():
    since = time.perf_counter()
    docx2txt.process(sys.argv[1])
    return time.perf_counter() - since

print(statistics.median(timed() for _ in range(int(sys.argv[2]))))
PYTHON
