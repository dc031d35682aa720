import type { Appliance } from "../../support/appliance.ts";

/** What some calls took together. */
export interface Told {
  calls: number;
  units: number;
  /** Of the answers' texts; of an assistant's calls, of the arguments too. */
  characters: number;
  ms: number;
}

/** Asks an appliance, and counts. */
export interface Teller {
  /** A call of the API below `/v1/msgr/`, or of the address of a next page. @returns the answer */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  ask(path: string, body?: object): Promise<any>;
  /** All items of a list, page after page. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape are looked into
  all(path: string): Promise<any[]>;
  /** A call of a tool. @returns its structured content */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  tool(name: string, args: object): Promise<any>;
  told(): Told;
  /** The tools that were called, in order. */
  tools(): string[];
}

export function createTeller({ app }: Appliance, key: string): Teller {
  const told: Told = { calls: 0, units: 0, characters: 0, ms: 0 };
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
    told.ms += performance.now() - startedMs;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    told.calls += 1;
    told.units += Number(response.headers.get("x-request-cost") ?? 0);
    return text;
  }

  const teller: Teller = {
    async ask(path, body) {
      const text = await send(path.startsWith("/") ? path : `/v1/msgr/${path}`, body);
      told.characters += text.length;
      return text.startsWith("{") && !text.includes("}\n{") ? JSON.parse(text) : text;
    },
    async all(path) {
      const items: unknown[] = [];
      for (let next: string | null = path; next !== null; ) {
        const page: { results: unknown[]; next?: string | null } = await teller.ask(next);
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
      told.characters += JSON.stringify(args).length + result.content[0].text.length;
      return result.structuredContent;
    },
    told: () => told,
    tools: () => tools,
  };
  return teller;
}
