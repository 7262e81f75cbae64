"""What the attacks share: the cluster of the fault tests, found beside this folder."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fault"))
from cluster import SPUR, Cluster, Report, seed_from  # noqa: E402,F401


def until(what, seconds=60):
    """The first true value of what(), or the last false one."""
    end = time.time() + seconds
    while not (value := what()) and time.time() < end:
        time.sleep(0.05)
    return value
