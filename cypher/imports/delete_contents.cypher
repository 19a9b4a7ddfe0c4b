// Remove some of what an unfinished import has written. Returns how much that was.
// params: limit
// returns: deleted
// mode: write
// uses: none
MATCH (n:Unresolved|Mention|Segment|Node|Document|Origin|MergeState|Merge|Folder)
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
