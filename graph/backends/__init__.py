"""Where a tenant's database comes from."""
