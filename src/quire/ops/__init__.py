"""The only code that touches X: one file a back end, all with the operations of :mod:`quire.ops.matrix`."""
