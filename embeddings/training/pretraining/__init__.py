"""The pretraining of a BERT or an ALBERT: its task, its run, its warm start."""
