// A tenant's record.
// params: tenant_id
// returns: tenant_id, database, generation, display_name, state, created_ms
// mode: read
// uses: tenant_id
MATCH (t:Tenant {tenant_id: $tenant_id})
RETURN t.tenant_id AS tenant_id, t.database AS database, t.generation AS generation, t.display_name AS display_name,
  t.state AS state, t.created_at.epochMillis AS created_ms
