// Let a tenant begin in a database of its own. The caller holds the record.
// params: tenant_id, database, generation, display_name, state
// returns: tenant_id, database, generation, display_name, state, created_ms
// mode: write
// uses: tenant_id
MATCH (t:Tenant {tenant_id: $tenant_id})
SET t.database = $database, t.generation = $generation, t.display_name = $display_name, t.state = $state,
  t.created_at = datetime()
RETURN t.tenant_id AS tenant_id, t.database AS database, t.generation AS generation, t.display_name AS display_name,
  t.state AS state, t.created_at.epochMillis AS created_ms
