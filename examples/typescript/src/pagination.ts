// Pages merged into one list by two clients' caches, each with what it ships for Relay's connections: no adapter of ours.
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { Client as UrqlClient, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";

import { filter, firstValueFrom } from "rxjs";

import { Nodes } from "./documents.js";
import type { NodesQuery, NodesQueryVariables } from "./generated/graphql.js";

export interface Source {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
}

/** A list as a client's cache holds it: what a component would show. */
export interface Listed {
  readonly ids: readonly string[];
  readonly hasNextPage: boolean;
  readonly pages: number;
}

type Variables = NodesQueryVariables & { readonly first: number };
type Connection = NonNullable<NodesQuery["tenant"]>["nodes"];

function getConnection(data: NodesQuery | null | undefined): Connection {
  if (!data?.tenant) throw new Error("The tenant is not there, or not yours to see.");
  return data.tenant.nodes;
}

function describe({ edges, pageInfo }: Connection, pages: number): Listed {
  return { ids: edges.map(({ node }) => node.id), hasNextPage: pageInfo.hasNextPage, pages };
}

export async function listByApollo(source: Source, variables: Variables, maxPages: number): Promise<Listed> {
  const client = new ApolloClient({
    link: new HttpLink({ uri: source.url, headers: source.headers, fetch: source.fetch }),
    cache: new InMemoryCache({
      typePolicies: { Tenant: { fields: { nodes: relayStylePagination(["where", "orderBy"]) } } },
    }),
  });
  // As a component does: it asks once, then for more of the same list, and shows what the cache makes of it.
  const query = client.watchQuery({ query: Nodes, variables });
  const shown = query.subscribe({ error: () => undefined });
  try {
    await firstValueFrom(query.pipe(filter(({ loading }) => !loading)));
    const read = (): Connection => getConnection(client.readQuery({ query: Nodes, variables }));
    let pages = 1;
    for (; read().pageInfo.hasNextPage && pages < maxPages; pages += 1) {
      await query.fetchMore({ variables: { after: read().pageInfo.endCursor } });
    }
    return describe(read(), pages);
  } finally {
    shown.unsubscribe();
    client.stop();
  }
}

export async function listByUrql(source: Source, variables: Variables, maxPages: number): Promise<Listed> {
  const client = new UrqlClient({
    url: source.url,
    fetch: source.fetch,
    fetchOptions: { headers: source.headers },
    preferGetMethod: false,
    exchanges: [
      cacheExchange({
        resolvers: { Tenant: { nodes: relayPagination() } },
        // A value without an id, kept with its node.
        keys: { SourceLocation: () => null },
      }),
      fetchExchange,
    ],
  });
  // The resolver answers any page's query with all pages up to then.
  const ask = async (after?: string | null): Promise<Connection> => {
    const { data, error } = await client.query(Nodes, { ...variables, after }).toPromise();
    if (error) throw error;
    return getConnection(data);
  };
  let listed = await ask();
  let pages = 1;
  for (; listed.pageInfo.hasNextPage && pages < maxPages; pages += 1) listed = await ask(listed.pageInfo.endCursor);
  return describe(listed, pages);
}

/** All of it in one page, as the server gives it. */
export async function listAtOnce(source: Source, variables: Variables): Promise<Listed> {
  const client = new ApolloClient({
    link: new HttpLink({ uri: source.url, headers: source.headers, fetch: source.fetch }),
    cache: new InMemoryCache(),
  });
  const { data } = await client.query({ query: Nodes, variables });
  return describe(getConnection(data), 1);
}
