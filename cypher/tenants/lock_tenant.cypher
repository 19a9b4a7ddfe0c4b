// Take hold of a tenant's record until this transaction ends; one that never was counts as gone.
// params: tenant_id, gone
// returns: tenant_id, database, generation, display_name, state, created_ms
// mode: write
// uses: tenant_id
MERGE (t:Tenant {tenant_id: $tenant_id})
ON CREATE SET t.state = $gone, t.generation = -1, t.display_name = '', t.created_at = datetime()
SET t.locked = true
RETURN t.tenant_id AS tenant_id, t.database AS database, t.generation AS generation, t.display_name AS display_name,
  t.state AS state, t.created_at.epochMillis AS created_ms
