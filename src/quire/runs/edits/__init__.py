"""What people change about a run: a log of edits, and the run that follows from it and the first one."""
