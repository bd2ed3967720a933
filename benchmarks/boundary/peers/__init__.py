"""The libraries, one file each: an object ``PEER`` that classifies or finds neighbours."""
