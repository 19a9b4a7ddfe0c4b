// How many bytes of text there are in all documents.
// params: none
// returns: count
// mode: read
// uses: none
MATCH (d:Document)
RETURN coalesce(sum(d.text_bytes), 0) AS count
