"""The libraries, one file each: an object ``PEER`` that can fit some kinds of forests."""
