// Write nodes of any kind that hang on no other, by the labels and properties of each. Times are text.
// params: rows
// returns: written
// mode: write
// uses: none
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
FOREACH (name IN keys(row.times) | SET n[name] = datetime(row.times[name]))
RETURN count(*) AS written
