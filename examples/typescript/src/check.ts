// Checks that both caches merge pages into the list that the server gives at once: against COGNIVERSE_URL (with
// COGNIVERSE_TENANT and COGNIVERSE_API_KEY), which must hold at least five nodes, else against recorded answers.
import assert from "node:assert/strict";
import { env, stdout } from "node:process";

import { Client } from "./client.js";
import { listAtOnce, listByApollo, listByUrql, type Listed, type Source } from "./pagination.js";
import { replay } from "./recorded.js";

export const WHOLE = 100;
export const PAGES = 3;
const CLIENTS = { Apollo: listByApollo, urql: listByUrql };

export async function compare(source: Source, tenant: string): Promise<readonly Listed[]> {
  const lists: Listed[] = [];
  for (const orderBy of [undefined, [{ field: "NAME", direction: "DESC" }]] as const) {
    const order = orderBy ? { orderBy } : {};
    const whole = await listAtOnce(source, { tenant, first: WHOLE, ...order });
    assert.ok(whole.ids.length >= 2 * PAGES - 1, `Tenant ${tenant} has too few nodes to page through.`);
    assert.equal(new Set(whole.ids).size, whole.ids.length);
    const first = Math.ceil(whole.ids.length / PAGES);
    for (const [name, list] of Object.entries(CLIENTS)) {
      const listed = await list(source, { tenant, first, ...order }, PAGES);
      assert.equal(listed.pages, PAGES, `${name} read ${listed.pages} pages`);
      assert.deepEqual(listed.ids, whole.ids, `${name} merged other nodes than the server lists`);
      assert.equal(listed.hasNextPage, whole.hasNextPage, `${name} is wrong about there being more`);
      lists.push(listed);
    }
  }
  return lists;
}

export function getServer(): { source: Source; tenant: string } | undefined {
  const url = env["COGNIVERSE_URL"];
  if (!url) return undefined;
  const { headers } = new Client(url, env["COGNIVERSE_API_KEY"]);
  return { source: { url, headers, fetch }, tenant: env["COGNIVERSE_TENANT"] ?? "default" };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const server = getServer();
  const lists = await compare(server?.source ?? (await replay()), server?.tenant ?? "recorded");
  stdout.write(`${lists.length} lists of ${lists[0]?.ids.length} nodes, merged as ${server?.source.url ?? "recorded"} lists them\n`);
}
