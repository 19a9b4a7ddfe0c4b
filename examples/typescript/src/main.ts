// npm start -- TENANT WORDS [FILE]: finds a node and what is around it; with FILE, ingests it first.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import process, { argv, env, stderr, stdout } from "node:process";

import { Client } from "./client.js";
import { IngestFile, JobProgress, Neighbors, Search } from "./documents.js";
import { failUnhandled } from "./exhaustive.js";
import type { JobPartsFragment, NeighborPartsFragment, NodePartsFragment, ProblemPartsFragment } from "./generated/graphql.js";

const say = (line: string): boolean => stdout.write(`${line}\n`);

function describeNode({ name, kind, location }: NodePartsFragment): string {
  return location ? `${name} (${kind}, ${location.path}:${location.lineStart})` : `${name} (${kind})`;
}

function describeProblem({ code, message, field, candidates }: ProblemPartsFragment): string {
  const where = field == null ? "" : ` [${field}]`;
  const meant = candidates?.length ? `\n  Which one? ${candidates.map(describeNode).join(", ")}` : "";
  return `${code}${where}: ${message}${meant}`;
}

async function watchJob(client: Client, tenant: string, { id }: JobPartsFragment): Promise<void> {
  for await (const { jobProgress } of client.watch(JobProgress, { tenant, job: id })) {
    const { job, file } = jobProgress;
    if (file) say(`${file.path}: ${file.status}${file.reason == null ? "" : ` (${file.reason})`}`);
    say(`${job.status}: ${job.filesDone} of ${job.filesTotal} files`);
  }
}

async function ingest(client: Client, tenant: string, file: File): Promise<void> {
  const { ingestFile } = await client.upload(IngestFile, { tenant, name: file.name }, file);
  switch (ingestFile.__typename) {
    case "IngestReport":
      say(`${ingestFile.document.id}: ${ingestFile.graphNodes} nodes, ${ingestFile.graphEdges} edges`);
      ingestFile.degraded.forEach(({ part, reason }) => say(`  Without ${part}: ${reason}`));
      break;
    case "Job":
      await watchJob(client, tenant, ingestFile);
      break;
    case "Problem":
      throw new Error(describeProblem(ingestFile));
    default:
      failUnhandled(ingestFile);
  }
}

async function search(client: Client, tenant: string, query: string): Promise<NodePartsFragment | undefined> {
  const answer = await client.run(Search, { tenant, query });
  if (!answer.tenant) throw new Error(`There is no tenant ${tenant}, or it isn't yours to see.`);
  const { hits, degraded, truncated } = answer.tenant.search;
  degraded.forEach(({ part, reason }) => say(`Without ${part}: ${reason}`));
  hits.forEach(({ node, score }) => say(`${score.toFixed(3)}  ${describeNode(node)}`));
  if (truncated) say("…and more");
  return hits[0]?.node;
}

async function showNeighbors(client: Client, tenant: string, node: string): Promise<void> {
  const { tenant: found } = await client.run(Neighbors, { tenant, node });
  if (!found) throw new Error(`There is no tenant ${tenant}, or it isn't yours to see.`);
  const { neighbors } = found;
  const show = (sign: string, { edge, node: other }: NeighborPartsFragment): boolean =>
    say(`  ${sign} ${edge.relation} ${describeNode(other)}`);
  switch (neighbors.__typename) {
    case "Neighborhood":
      say(describeNode(neighbors.center));
      neighbors.outgoing.forEach((one) => show("→", one));
      neighbors.incoming.forEach((one) => show("←", one));
      break;
    case "Problem":
      say(describeProblem(neighbors));
      break;
    default:
      failUnhandled(neighbors);
  }
}

async function main([tenant, words, path]: readonly string[]): Promise<number> {
  if (tenant === undefined || words === undefined) {
    say("Usage: npm start -- TENANT WORDS [FILE]");
    return 2;
  }
  const client = new Client(env["COGNIVERSE_URL"] ?? "http://127.0.0.1:8000/graphql", env["COGNIVERSE_API_KEY"]);
  if (path !== undefined) await ingest(client, tenant, new File([await readFile(path)], basename(path)));
  const best = await search(client, tenant, words);
  if (best) await showNeighbors(client, tenant, best.id);
  return 0;
}

try {
  process.exitCode = await main(argv.slice(2));
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
