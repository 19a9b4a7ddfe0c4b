// GraphQL over fetch: queries and mutations as JSON, a file as multipart, subscriptions as server-sent events.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type GraphQLFormattedError, print } from "graphql";
import { createClient } from "graphql-sse";

interface Answer<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** The request was refused or failed as a whole. What a query expects to go wrong is a `Problem` in its answer. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";

  constructor(readonly errors: readonly GraphQLFormattedError[]) {
    super(errors.map((error) => `${String(error.extensions?.["code"] ?? "ERROR")}: ${error.message}`).join("\n"));
  }
}

export class Client {
  constructor(
    readonly url: string,
    private readonly key?: string,
  ) {}

  get headers(): Record<string, string> {
    return this.key === undefined ? {} : { authorization: `Bearer ${this.key}` };
  }

  async run<Result, Variables>(document: TypedDocumentNode<Result, Variables>, variables: Variables): Promise<Result> {
    return this.#send(JSON.stringify({ query: print(document), variables }), { "content-type": "application/json" });
  }

  /** Runs a mutation whose `input.file` is the file. */
  async upload<Result, Input extends { readonly file?: unknown }>(
    document: TypedDocumentNode<Result, { readonly input: Input }>,
    input: Omit<Input, "file">,
    file: File,
  ): Promise<Result> {
    const form = new FormData();
    form.set("operations", JSON.stringify({ query: print(document), variables: { input: { ...input, file: null } } }));
    form.set("map", JSON.stringify({ file: ["variables.input.file"] }));
    form.set("file", file);
    return this.#send(form, {});
  }

  /** Yields what the subscription says until it ends. */
  async *watch<Result, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Result, Variables>,
    variables: Variables,
  ): AsyncGenerator<Result> {
    const events = createClient({ url: this.url, headers: this.headers, retryAttempts: 0 });
    for await (const event of events.iterate<Result>({ query: print(document), variables })) {
      yield takeData(event as Answer<Result>);
    }
  }

  async #send<Result>(body: BodyInit, headers: Record<string, string>): Promise<Result> {
    const response = await fetch(this.url, {
      method: "POST",
      body,
      headers: { accept: "application/json", ...headers, ...this.headers },
    });
    return takeData((await response.json()) as Answer<Result>);
  }
}

function takeData<Result>({ data, errors }: Answer<Result>): Result {
  if (errors?.length || data == null) throw new RequestFailed(errors ?? [{ message: "The answer has no data." }]);
  return data;
}
