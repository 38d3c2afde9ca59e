"""Grammar: which of two sentences a network takes to be the likelier one."""
