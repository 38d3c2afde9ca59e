"""Cached loaders: the only place where the app keeps what it has read or computed.

The one rule: a value is kept under all that it was made from, so that nothing has to be told to
forget. A loader is a function under `app.loaders.caching.cached`, which says how many values it
keeps; its arguments are all that its value depends on, and they count as follows:

- a model (`Entry`) by its `Entry.stamp`, a file or folder (`Path`) by its `embeddings.files.stamp`,
  a job by what its training has written: as the disk has them at the call. A model that is deleted,
  renamed, replaced or updated while the server runs is another key, and is read anew; what was kept
  of it is never asked for again and leaves as the oldest value.
- everything else (a text, a layer, contexts) by its value.

A value that is made from two models takes both: a classifier and the BERT under it, a network and
its static companion. What is cheap to read is not kept: the list of models is made at each call.
No loader has an age (``ttl``) and none is cleared. What a page keeps for one person alone (a slow
map, files that were checked) it keeps in the session, under the same stamps.
"""
