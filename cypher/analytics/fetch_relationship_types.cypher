// The relationship types that this database has ever had: a projection of any other is refused.
// params: none
// returns: type
// mode: read
// uses: none
CALL db.relationshipTypes() YIELD relationshipType
RETURN relationshipType AS type ORDER BY type
