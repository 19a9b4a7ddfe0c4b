// Bring a tenant to another state of its life. The caller holds the record.
// params: tenant_id, state, generation, display_name
// returns: none
// mode: write
// uses: tenant_id
MATCH (t:Tenant {tenant_id: $tenant_id})
SET t.state = $state, t.generation = $generation, t.display_name = $display_name
