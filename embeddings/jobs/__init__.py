"""Training in a process of its own: start, watch, cancel, resume.

A job is a folder under ``KLYUCH_HOME/jobs``. Its commands are ``klyuch`` commands, run one after another by a small
process that belongs to no window and no server. Whether it lives is known by a lock that its processes hold
(`embeddings.jobs.job_folder`), not by a number that another process may have taken over. Jobs run one at a time, in the
order in which they were started.
"""
