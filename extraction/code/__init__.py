"""Source code: parsing, facts and resolution over a folder."""
