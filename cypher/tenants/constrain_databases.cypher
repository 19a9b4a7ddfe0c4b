// Have no two tenants in one database.
// params: none
// returns: none
// mode: write
// uses: none
CREATE CONSTRAINT tenant_database IF NOT EXISTS FOR (t:Tenant) REQUIRE t.database IS UNIQUE
