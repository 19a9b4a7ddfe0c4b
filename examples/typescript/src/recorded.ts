// Answers of a real server, kept in recorded.json by `npm run record`, and given again for the same variables.
import { readFile } from "node:fs/promises";

import type { Source } from "./pagination.js";

const FILE = new URL("../recorded.json", import.meta.url);

export interface Recording {
  readonly variables: Record<string, unknown>;
  readonly answer: unknown;
}

interface Sent {
  readonly variables?: Record<string, unknown>;
}

/** The same for the same variables, in whatever order a client sends them. */
export function makeKey(variables: Record<string, unknown> = {}): string {
  return JSON.stringify(variables, (_, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([, one]) => one != null).sort())
      : value,
  );
}

/** A source that asks the server, and keeps what it says in `into`. */
export function recordFrom(source: Source, into: Recording[]): Source {
  return {
    ...source,
    fetch: async (url, options) => {
      const response = await source.fetch(url, options);
      const { variables = {} } = JSON.parse(String(options?.body)) as Sent;
      into.push({ variables, answer: await response.clone().json() });
      return response;
    },
  };
}

export async function replay(): Promise<Source> {
  const recordings = JSON.parse(await readFile(FILE, "utf8")) as Recording[];
  const answers = new Map(recordings.map(({ variables, answer }) => [makeKey(variables), answer]));
  return {
    url: "http://recorded.invalid/graphql",
    headers: {},
    fetch: async (_, options) => {
      const { variables } = JSON.parse(String(options?.body)) as Sent;
      const answer = answers.get(makeKey(variables));
      if (answer === undefined) throw new Error(`Nothing is recorded for ${JSON.stringify(variables)}: npm run record`);
      return Response.json(answer);
    },
  };
}
