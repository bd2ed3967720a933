"""Model files: archives of arrays, and the codecs that write and read them."""
