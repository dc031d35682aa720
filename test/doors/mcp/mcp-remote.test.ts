import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MCP_PATHS } from "../../../src/customers/keys/connect-snippets.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { TOOL_NAMES } from "../../support/mcp-requests.ts";
import { leadsTo } from "../../support/oauth-client.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

/**
 * `mcp-remote`, by which programs that only start programs reach servers, and the protocol's Inspector as a command, at
 * each spelling of the address.
 */
const NODE = Bun.which("node");
if (NODE === null) console.warn("No Node.js here: mcp-remote and the Inspector were not run.");
const underNode = test.skipIf(NODE === null);
const PROGRAM = Bun.resolveSync("mcp-remote/dist/proxy.js", import.meta.dir);

const MODULES = `${import.meta.dir}/../../../node_modules`;
/** The Inspector's command alone, beside the file of the whole Inspector that it reads its version from. */
const folder = mkdtempSync(join(tmpdir(), "kanalog-inspector-"));
cpSync(`${MODULES}/@modelcontextprotocol/inspector-cli`, join(folder, "cli"), { recursive: true });
symlinkSync(MODULES, join(folder, "node_modules"));
writeFileSync(
  join(folder, "package.json"),
  '{"name": "@modelcontextprotocol/inspector", "version": "1.0.3"}',
);
const INSPECTOR = join(folder, "cli/build/index.js");

let appliance: Appliance;
let address: string;
let key: string;
let person: Visitor;
let organizationId: number;
beforeAll(async () => {
  appliance = await startAppliance({ KANALOG_PORT: "0", KANALOG_OAUTH: "on" });
  address = appliance.app.listen();
  key = (await appliance.customer()).key;
  ({ organizationId } = await addPerson(appliance));
  person = await signedInVisitor(appliance, "ada@example.com");
});
afterAll(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
  rmSync(folder, { recursive: true });
});

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "kanalog-test", version: "1" },
};

/**
 * Runs it, and asks for the tools.
 * @param signIn called with the page that it wants to send its person to
 * @returns names of the tools
 */
async function toolsBy(words: string[], signIn: (asked: URL) => Promise<void>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-mcp-remote-"));
  const child = Bun.spawn([NODE ?? "", PROGRAM, ...words, "--transport", "http-only"], {
    // Without any program to find, so that it opens no browser.
    env: { PATH: folder, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const say = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.stdin.flush();
  };
  let notes = "";
  const noted = (async () => {
    const decoder = new TextDecoder();
    let isAsked = false;
    for await (const chunk of child.stderr) {
      notes += decoder.decode(chunk, { stream: true });
      const asked = /visiting:\s*(http\S+)\s/.exec(notes)?.[1];
      if (asked === undefined || isAsked) continue;
      isAsked = true;
      await signIn(new URL(asked));
    }
  })();
  try {
    say({ id: 1, method: "initialize", params: INITIALIZE });
    let output = "";
    for await (const chunk of child.stdout) {
      output += new TextDecoder().decode(chunk);
      if (!output.endsWith("\n")) continue;
      const answers = output
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const listed = answers.find(({ id }) => id === 2);
      if (listed !== undefined) {
        return listed.result.tools.map(({ name }: { name: string }) => name);
      }
      if (answers.length > 1) continue;
      say({ method: "notifications/initialized" });
      say({ id: 2, method: "tools/list" });
    }
    throw new Error(`it ended: ${notes}`);
  } finally {
    child.kill();
    await child.exited;
    await noted;
    rmSync(folder, { recursive: true });
  }
}

for (const path of MCP_PATHS) {
  underNode(`it connects at ${path} with a key`, async () => {
    const words = [address + path, "--header", `Authorization: Bearer ${key}`];
    const tools = await toolsBy(words, async (asked) => {
      throw new Error(`it asks for a sign-in: ${asked}`);
    });
    expect(tools).toEqual(TOOL_NAMES);
  });

  underNode(`it connects at ${path} by signing in`, async () => {
    appliance.ports.clock.advance(3_600_000);
    const tools = await toolsBy([address + path], async ({ pathname, search, searchParams }) => {
      expect(searchParams.get("resource")).toBe(address + path);
      const answer = { action: "allow", organization: organizationId };
      const to = leadsTo(await person.post(pathname + search, answer));
      expect((await fetch(to ?? "")).status).toBe(200);
    });
    expect(tools).toEqual(TOOL_NAMES);
  });
}

/** What the Inspector prints for a method of the protocol. It signs in on its page only, so it has a key here. */
async function inspect(path: string, ...words: string[]) {
  const given = ["--transport", "http", "--header", `Authorization: Bearer ${key}`];
  const child = Bun.spawn([NODE ?? "", INSPECTOR, address + path, ...given, ...words], {
    stdout: "pipe",
    stderr: "pipe",
    timeout: 60_000,
  });
  const [output, notes] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(await child.exited, notes).toBe(0);
  return JSON.parse(output);
}

for (const path of MCP_PATHS) {
  underNode(`the Inspector lists the tools at ${path}, and calls one`, async () => {
    appliance.ports.clock.advance(5_000);
    const { tools } = await inspect(path, "--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(TOOL_NAMES);
    const call = ["--method", "tools/call", "--tool-name", "msgr_channels_list"];
    const { isError, structuredContent } = await inspect(path, ...call, "--tool-arg", "limit=1");
    expect([isError, structuredContent.results]).toEqual([false, []]);
  });
}
