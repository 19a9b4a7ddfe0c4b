// Have one record for each tenant.
// params: none
// returns: none
// mode: write
// uses: none
CREATE CONSTRAINT tenant_id IF NOT EXISTS FOR (t:Tenant) REQUIRE t.tenant_id IS UNIQUE
