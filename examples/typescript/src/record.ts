// npm run record: asks the server of COGNIVERSE_URL what check.ts asks, and keeps its answers in recorded.json.
import { writeFile } from "node:fs/promises";

import { compare, getServer } from "./check.js";
import { makeKey, recordFrom, type Recording } from "./recorded.js";

const server = getServer();
if (!server) throw new Error("Set COGNIVERSE_URL to a server to record.");
const recordings: Recording[] = [];
await compare(recordFrom(server.source, recordings), server.tenant);
const unique = new Map(recordings.map((one) => [makeKey(one.variables), one]));
const text = JSON.stringify([...unique.values()], null, 1).replaceAll(`"${server.tenant}"`, '"recorded"');
await writeFile(new URL("../recorded.json", import.meta.url), `${text}\n`);
