"""Sample title: answers with a greeting over HTTP."""
