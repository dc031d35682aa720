import type { Appliance } from "../../support/appliance.ts";

/** Totals of several calls. */
export interface Totals {
  calls: number;
  units: number;
  /** Characters of the answers; for tool calls, of the arguments too. */
  characters: number;
  ms: number;
}

/** A client that counts what its calls take. */
export interface CountingClient {
  /** Calls the API, with a path below `/v1/msgr/` or the whole path of a next page. @returns the answer */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  ask(path: string, body?: object): Promise<any>;
  /** All items of a list, from all its pages. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape are looked into
  all(path: string): Promise<any[]>;
  /** Calls a tool. @returns its structured content */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  tool(name: string, args: object): Promise<any>;
  totals(): Totals;
  /** The tools that were called, in order. */
  tools(): string[];
}

export function createCountingClient({ app }: Appliance, key: string): CountingClient {
  const totals: Totals = { calls: 0, units: 0, characters: 0, ms: 0 };
  const tools: string[] = [];

  async function send(path: string, body?: object): Promise<string> {
    const request = new Request(`http://localhost${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const startedMs = performance.now();
    const response = await app.server.handle(request);
    const text = await response.text();
    totals.ms += performance.now() - startedMs;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    totals.calls += 1;
    totals.units += Number(response.headers.get("x-request-cost") ?? 0);
    return text;
  }

  const client: CountingClient = {
    async ask(path, body) {
      const text = await send(path.startsWith("/") ? path : `/v1/msgr/${path}`, body);
      totals.characters += text.length;
      return text.startsWith("{") && !text.includes("}\n{") ? JSON.parse(text) : text;
    },
    async all(path) {
      const items: unknown[] = [];
      for (let next: string | null = path; next !== null; ) {
        const page: { results: unknown[]; next?: string | null } = await client.ask(next);
        items.push(...page.results);
        const address = page.next ?? null;
        next = address === null ? null : new URL(address).pathname + new URL(address).search;
      }
      return items;
    },
    async tool(name, args) {
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      };
      const { result } = JSON.parse(await send("/v1/mcp/", call));
      if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
      tools.push(name);
      totals.characters += JSON.stringify(args).length + result.content[0].text.length;
      return result.structuredContent;
    },
    totals: () => totals,
    tools: () => tools,
  };
  return client;
}
