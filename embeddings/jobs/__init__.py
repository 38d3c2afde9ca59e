"""A function of `embeddings` in a process of its own: start, watch, cancel, resume.

A job is a folder under ``KLYUCH_HOME/jobs`` that names the function and its arguments. A small process that belongs to no window and
no server runs it. Whether it lives is known by a lock that its process holds (`embeddings.jobs.job_folder`), not by a number that
another process may have taken over. Jobs run one at a time, in the order in which they were started.
"""
