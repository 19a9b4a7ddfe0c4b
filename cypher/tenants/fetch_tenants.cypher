// The records of all tenants, of those that are gone too; nobody else's nodes of that label.
// params: none
// returns: tenant_id, database, generation, display_name, state, created_ms
// mode: read
// uses: none
MATCH (t:Tenant)
WHERE t.tenant_id IS NOT NULL AND t.generation IS NOT NULL
RETURN t.tenant_id AS tenant_id, t.database AS database, t.generation AS generation, t.display_name AS display_name,
  t.state AS state, t.created_at.epochMillis AS created_ms
ORDER BY tenant_id
