// How many documents a filter lets through.
// params: clauses, complement
// returns: count
// mode: read
// uses: none
MATCH (d:Document)
WHERE $complement <> all(clause IN $clauses WHERE any(test IN clause WHERE test.negated <> head([value IN [
  d[test.field]
] | coalesce(CASE test.op
  WHEN 'eq' THEN value = test.value
  WHEN 'in' THEN value IN test.value
  WHEN 'contains' THEN value CONTAINS test.value
  WHEN 'starts_with' THEN value STARTS WITH test.value
  WHEN 'ends_with' THEN value ENDS WITH test.value
  WHEN 'gt' THEN value > test.value
  WHEN 'gte' THEN value >= test.value
  WHEN 'lt' THEN value < test.value
  WHEN 'lte' THEN value <= test.value
END, false)])))
RETURN count(*) AS count
