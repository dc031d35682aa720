/**
 * Processor time of the server for a call of `msgr_channels_retrieve`, in turns of one run: over MCP with a key, over
 * MCP with an OAuth access token, the same card over REST, and the official SDK's server, which answers the same call
 * from the same row: `bun test/bench/mcp.ts [rounds]`. What else runs on the machine changes the calls per second,
 * and hardly the processor time of one. The SDK's server runs on Bun too: once as its documentation shows
 * (Express, a server and a stateless transport for each request), and once with as little code around it as
 * possible (its web standard transport behind Bun.serve). Unlike the appliance it checks no key and counts
 * nothing.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import autocannon from "autocannon";
import { z } from "zod";
import { selectCardById } from "../../src/catalog/channels/channels.store.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { challengeOf, leadsTo, METADATA, REDIRECT, VERIFIER } from "../support/oauth-client.ts";
import { processorMs } from "../support/processor-time.ts";
import { PASSWORD, remoteVisitor } from "../support/visitor.ts";
import { median } from "./peers/statistics.ts";

const CONNECTIONS = 50;
const ROUND_S = 3;
const OF_REST_MIN = 0.8;
const OF_SDK_MIN = 4;
const OF_KEY_MIN = 0.95;
const CHANNEL = 7;
const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "msgr_channels_retrieve", arguments: { channel: String(CHANNEL) } },
});
const MODERN_CALL = JSON.stringify({
  ...JSON.parse(CALL),
  params: {
    ...JSON.parse(CALL).params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    },
  },
});
const POSTED = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** What is measured: one request, sent repeatedly. */
interface Target {
  url: string;
  headers: Record<string, string>;
  /** If present, the request is a POST. */
  body?: string;
  /** Number of the server's process. */
  pid: number;
}

if (process.argv[2] === "serve-sdk") {
  await serveSdk(process.argv[3] ?? "", process.argv[4] === "express");
} else {
  await compare(Number(process.argv[2] ?? 5));
}

async function compare(rounds: number): Promise<void> {
  const machine = createMachine();
  const sdkServers: Bun.Subprocess[] = [];
  try {
    const key = await fill(machine);
    const { address, pid } = await machine.serve(["serve"], {
      environment: { KANALOG_OAUTH: "on" },
    });
    const token = await connectByOAuth(machine, address);
    const startSdk = async (kind: "express" | "bare"): Promise<Target> => {
      const words = [process.execPath, import.meta.path, "serve-sdk", machine.database, kind];
      const child = Bun.spawn(words, { stdout: "pipe" });
      sdkServers.push(child);
      const { value } = await child.stdout.getReader().read();
      const url = new TextDecoder().decode(value).trim();
      return { url, headers: POSTED, body: CALL, pid: child.pid };
    };
    const authorization = `Bearer ${key}`;
    const mcp = `${address}/v1/mcp/`;
    const targets: Record<string, Target> = {
      "REST          ": {
        url: `${address}/v1/msgr/channels/${CHANNEL}/`,
        headers: { authorization },
        pid,
      },
      "MCP           ": { url: mcp, headers: { ...POSTED, authorization }, body: CALL, pid },
      "MCP 2026-07-28": {
        url: mcp,
        headers: {
          ...POSTED,
          authorization,
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "msgr_channels_retrieve",
        },
        body: MODERN_CALL,
        pid,
      },
      "MCP, token    ": {
        url: mcp,
        headers: { ...POSTED, authorization: `Bearer ${token}` },
        body: CALL,
        pid,
      },
      "SDK, Express  ": await startSdk("express"),
      "SDK, Bun.serve": await startSdk("bare"),
    };
    await requireSameAnswers(Object.values(targets));

    const costs = Object.keys(targets).map(() => [] as number[]);
    for (const target of Object.values(targets)) await load(machine, target, 1);
    for (let round = 0; round < rounds; round++) {
      for (const [index, target] of Object.values(targets).entries()) {
        const beforeMs = processorMs(target.pid);
        const calls = await load(machine, target, ROUND_S);
        costs[index]?.push((1000 * (processorMs(target.pid) - beforeMs)) / calls);
      }
    }
    for (const [index, name] of Object.keys(targets).entries()) {
      const all = costs[index] ?? [];
      const each = all.map((cost) => cost.toFixed(1)).join(", ");
      console.log(`${name}: ${each} us of processor time a call, median ${median(all).toFixed(1)}`);
    }
    const [rest = [], legacy = [], modern = [], byToken = [], express = [], bare = []] = costs;
    // The median of the ratios of each round, because other work on the machine differs from round to round.
    const ratio = (name: string, upper: number[], lower: number[], least: number): void => {
      const value = median(upper.map((cost, round) => (lower[round] ?? 0) / cost));
      console.log(`${name}: ${value.toFixed(2)}${least === 0 ? "" : ` (at least ${least})`}`);
      if (value < least) process.exitCode = 1;
    };
    ratio("MCP / REST", legacy, rest, OF_REST_MIN);
    ratio("MCP 2026-07-28 / REST", modern, rest, OF_REST_MIN);
    ratio("MCP, token / key", byToken, legacy, OF_KEY_MIN);
    ratio("MCP / SDK, Express", legacy, express, OF_SDK_MIN);
    ratio("MCP / SDK, Bun.serve", legacy, bare, 0);
  } finally {
    for (const server of sdkServers) {
      server.kill();
      await server.exited;
    }
    await machine.leave();
  }
}

/** Adds a thousand channels with full cards, and a key whose limits are never reached. @returns the key */
async function fill(machine: Machine): Promise<string> {
  const rows = Array.from({ length: 1000 }, (_, index) =>
    JSON.stringify({
      id: index + 1,
      handle: `channel_${index + 1}`,
      title: `Канал номер ${index + 1}`,
      description: "О науке и технике, каждый день.",
      link: `https://t.me/channel_${index + 1}`,
      subscribers: 1000 + index,
      category: "science",
      categories: ["news", "education"],
      quality: 50,
      citation: 12.5,
      last_post_at: "2026-11-20T12:00:00+03:00",
    }),
  );
  await machine.json(["import", "channels", machine.write("channels.ndjson", rows.join("\n"))]);
  const { key } = await machine.customer();
  await machine.json([
    ...["plan", "set", "profi", "--rate", "1000000", "--quota"],
    String(10 ** 12),
  ]);
  return key;
}

/** Connects an assistant with OAuth, for the key's member. @returns its access token */
async function connectByOAuth(machine: Machine, address: string): Promise<string> {
  await machine.run(["member", "password", "1", "--stdin"], { stdin: `${PASSWORD}\n` });
  const person = remoteVisitor(address);
  await person.signIn("ada@example.com");
  const post = async (path: string, body: string | URLSearchParams) =>
    (await (await fetch(address + path, { method: "POST", body })).json()) as Record<
      string,
      string
    >;
  const registered = await post("/oauth/register", JSON.stringify(METADATA));
  const client = { client_id: registered["client_id"] ?? "", redirect_uri: REDIRECT };
  const challenge = { code_challenge: challengeOf(VERIFIER), code_challenge_method: "S256" };
  const query = new URLSearchParams({ response_type: "code", ...client, ...challenge });
  const answer = { action: "allow", organization: 1 };
  const to = leadsTo(await person.post(`/account/authorize/?${query}`, answer));
  const code = to?.searchParams.get("code") ?? "";
  const grant = { grant_type: "authorization_code", code, code_verifier: VERIFIER };
  const tokens = await post("/oauth/token", new URLSearchParams({ ...grant, ...client }));
  return tokens["access_token"] ?? "";
}

/** Makes sure that all targets do the same work. @throws Error if their cards differ */
async function requireSameAnswers(targets: Target[]): Promise<void> {
  const cards = await Promise.all(
    targets.map(async ({ url, headers, body }) => {
      const answer = await fetch(
        url,
        body === undefined ? { headers } : { ...post(headers), body },
      );
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text}`);
      const value = JSON.parse(text);
      if (body === undefined) return JSON.stringify(value);
      const { content, structuredContent } = value.result;
      const card = JSON.stringify(structuredContent);
      if (content[0].text !== card) throw new Error(`${url}: the text is not the card`);
      return card;
    }),
  );
  if (new Set(cards).size !== 1) throw new Error(`answers differ: ${cards.join("\n")}`);
}

function post(headers: Record<string, string>) {
  return { method: "POST", headers };
}

/** Answers under load, by wrk if it is installed, since autocannon reaches its own limit early. */
async function load(machine: Machine, target: Target, seconds: number): Promise<number> {
  const { url, headers, body } = target;
  const wrk = Bun.which("wrk");
  if (wrk !== null) {
    const lines = Object.entries(headers).map(
      ([name, value]) => `wrk.headers["${name}"] = "${value}"`,
    );
    if (body !== undefined) lines.push('wrk.method = "POST"', `wrk.body = [[${body}]]`);
    const script = machine.write("load.lua", lines.join("\n"));
    const words = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script, url];
    const text = await new Response(Bun.spawn([wrk, ...words]).stdout).text();
    if (/Non-2xx|Socket errors/.test(text)) throw new Error(text);
    return Number(/(\d+) requests in/.exec(text)?.[1]);
  }
  const result = await autocannon({
    url,
    headers,
    connections: CONNECTIONS,
    duration: seconds,
    ...(body !== undefined && { method: "POST", body }),
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} not 200`);
  return result.requests.total;
}

/** Serves the same tool with the official SDK, and prints its address. */
async function serveSdk(databasePath: string, byExpress: boolean): Promise<void> {
  const db = openDatabase(databasePath, systemClock, "reader");
  const output = {
    id: z.number(),
    handle: z.string().nullable(),
    title: z.string(),
    description: z.string().nullable(),
    link: z.string().nullable(),
    image: z.string().nullable(),
    kind: z.enum(["channel", "chat"]),
    subscribers: z.number(),
    category: z.string().nullable(),
    categories: z.array(z.string()),
    territory: z.string().nullable(),
    a_plus: z.boolean(),
    verified: z.boolean(),
    quality: z.number().nullable(),
    citation: z.number().nullable(),
    last_post_at: z.string().nullable(),
  };
  const newServer = () => {
    const server = new McpServer({ name: "sdk", version: "1" });
    server.registerTool(
      "msgr_channels_retrieve",
      {
        description: "A channel's card",
        inputSchema: { channel: z.string() },
        outputSchema: output,
      },
      ({ channel }) => {
        const structuredContent = JSON.parse(selectCardById(db, Number(channel)) ?? "null");
        const text = JSON.stringify(structuredContent);
        return { content: [{ type: "text", text }], structuredContent };
      },
    );
    return server;
  };
  if (!byExpress) {
    const listener = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const transport = new WebStandardStreamableHTTPServerTransport({
          enableJsonResponse: true,
        });
        await newServer().connect(transport);
        return transport.handleRequest(request);
      },
    });
    console.log(listener.url.href);
    return;
  }
  const { createMcpExpressApp } = await import("@modelcontextprotocol/sdk/server/express.js");
  const app = createMcpExpressApp();
  // biome-ignore lint/suspicious/noExplicitAny: Express has no types here
  app.post("/mcp", async (request: any, response: any) => {
    const server = newServer();
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    // The SDK's own types are incompatible under exactOptionalPropertyTypes.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response, request.body);
    response.on("close", () => {
      void transport.close();
      void server.close();
    });
  });
  const listener = app.listen(0, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${listener.address().port}/mcp`);
  });
}
