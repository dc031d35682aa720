import { createMCPClient } from "@ai-sdk/mcp";
import {
  Client as Client2,
  StreamableHTTPClientTransport as HttpTransport2,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioTransport2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioTransport1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpTransport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { HANGS_AFTER_MS } from "./until.ts";

/** Result of a tool call, as every client returns it. */
interface ToolResult {
  content: { type: string; text?: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  structuredContent?: any;
  isError?: boolean;
}

interface ToolDescription {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: object;
  outputSchema?: object | undefined;
}

/** Common interface of the official clients. */
export interface McpClient {
  /** The protocol's era that it uses with the server, if the client reports it. */
  era(): string | undefined;
  instructions(): string | undefined;
  tools(): Promise<ToolDescription[]>;
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  /** Errors of the client's transport or protocol outside of calls. */
  complaints: Error[];
  close(): Promise<void>;
}

/** A program that speaks MCP over its standard input and output. */
export interface StdioProgram {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

interface ClientKind {
  name: string;
  /** The era that it should use with us. */
  era: "legacy" | "modern";
  overHttp(address: string, key: string): Promise<McpClient>;
  overStdio(program: StdioProgram): Promise<McpClient>;
}

const IDENTITY = { name: "kanalog-test", version: "1" };

const bearer = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

async function connect1(transport: Transport1): Promise<McpClient> {
  const client = new Client1(IDENTITY);
  const complaints: Error[] = [];
  client.onerror = (error) => complaints.push(error);
  await client.connect(transport, { timeout: HANGS_AFTER_MS });
  return {
    era: () => (client.getServerVersion() === undefined ? undefined : "legacy"),
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) =>
      (await client.callTool({ name, ...(args && { arguments: args }) })) as ToolResult,
    complaints,
    close: () => client.close(),
  };
}

async function connect2(
  transport: HttpTransport2 | StdioTransport2,
  mode: VersionNegotiationMode,
): Promise<McpClient> {
  const client = new Client2(IDENTITY, { versionNegotiation: { mode } });
  const complaints: Error[] = [];
  client.onerror = (error) => complaints.push(error);
  await client.connect(transport, { timeout: HANGS_AFTER_MS });
  return {
    era: () => client.getProtocolEra(),
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) =>
      (await client.callTool({ name, ...(args && { arguments: args }) })) as ToolResult,
    complaints,
    close: () => client.close(),
  };
}

const sdk1: ClientKind = {
  name: "the 1.x client",
  era: "legacy",
  overHttp: (address, key) =>
    // The SDK's own types do not match under exactOptionalPropertyTypes.
    connect1(new HttpTransport1(new URL(address), bearer(key)) as Transport1),
  overStdio: (program) => connect1(new StdioTransport1({ ...program, stderr: "ignore" })),
};

function sdk2(name: string, era: "legacy" | "modern", mode: VersionNegotiationMode): ClientKind {
  return {
    name,
    era,
    overHttp: (address, key) => connect2(new HttpTransport2(new URL(address), bearer(key)), mode),
    overStdio: (program) => connect2(new StdioTransport2({ ...program, stderr: "ignore" }), mode),
  };
}

export const clientKinds: readonly ClientKind[] = [
  sdk1,
  sdk2("the 2.x client, legacy", "legacy", "legacy"),
  sdk2("the 2.x client, automatic", "modern", "auto"),
  sdk2("the 2.x client, pinned", "modern", { pin: "2026-07-28" }),
];

/** Client of the AI SDK, by neither us nor the protocol's authors: legacy, over HTTP only. */
export async function aiSdkOverHttp(address: string, key: string): Promise<McpClient> {
  const complaints: Error[] = [];
  const client = await createMCPClient({
    transport: { type: "http", url: address, headers: { authorization: `Bearer ${key}` } },
    onUncaughtError: (error) => complaints.push(error as Error),
  });
  return {
    era: () => "legacy",
    instructions: () => client.instructions,
    tools: async () => (await client.listTools()).tools as ToolDescription[],
    call: async (name, args) =>
      (await client.callTool({ name, ...(args && { arguments: args }) })) as ToolResult,
    complaints,
    close: () => client.close(),
  };
}

/** First text of a result; a second one may say how to continue. */
export function textOf({ content }: ToolResult): string {
  if (content.some(({ type }) => type !== "text")) throw new Error("not a text");
  return content[0]?.text ?? "";
}

/** The error with which a call was refused. @throws Error if it was not */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ code: unknown; status: unknown; message: string }> {
  try {
    await call;
  } catch (error) {
    const { code, message, status, data } = error as Error & {
      code?: unknown;
      status?: unknown;
      data?: { status?: unknown };
    };
    return { code, status: status ?? data?.status, message };
  }
  throw new Error("the call was not refused");
}
