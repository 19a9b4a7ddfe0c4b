// The one record of what a tenant may hold.
CREATE CONSTRAINT quota_name IF NOT EXISTS FOR (q:Quota) REQUIRE q.name IS UNIQUE;
