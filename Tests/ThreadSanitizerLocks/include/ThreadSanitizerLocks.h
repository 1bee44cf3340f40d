// Nothing to call: the functions of locks.c replace those of the standard library.
