"""Files in, extraction results out, and the pipeline that stores them."""
