"""Where parts of a corpus lie and who works on them: in memory, on disk, on a cluster.

In: things to keep, a part each, and tasks. Out: handles, and what the tasks tell, merged in order.
Above it: every package; below it only ``messages``.
"""
