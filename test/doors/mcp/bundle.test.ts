import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { getMcpConfigForManifest, unpackExtension } from "@anthropic-ai/mcpb";
import { VERSIONED_MANIFEST_SCHEMAS } from "@anthropic-ai/mcpb/schemas";
import { imageSize } from "image-size";
import { createMachine, type Machine, PROGRAM } from "../../support/machine.ts";
import { clientKinds, type StdioProgram, textOf } from "../../support/mcp-clients.ts";
import { startTalk } from "../../support/stdio-talk.ts";

/** The bundle that an appliance serves, unpacked and run as by a desktop host. */
const NODE = Bun.which("node");
if (NODE === null) console.warn("No Node.js here: the bundle was run under Bun only.");
const RUNTIMES = [
  ["Node.js", NODE],
  ["Bun", process.execPath],
] as const;
let machine: Machine;
let bundle: Uint8Array;
let unpacked: string;
// biome-ignore lint/suspicious/noExplicitAny: checked against the published schema below
let manifest: any;
let address: string;
let key: string;

beforeAll(async () => {
  machine = createMachine();
  const sample = new URL("../../../data/sample/", import.meta.url).pathname;
  await machine.json(["import", "channels", `${sample}channels.ndjson`]);
  key = (await machine.customer()).key;
  address = (await machine.serve()).address;

  const served = await fetch(`${address}/docs/mcp/kanalog.mcpb`);
  expect(served.headers.get("content-disposition")).toBe('attachment; filename="kanalog.mcpb"');
  bundle = await served.bytes();
  const mcpbPath = machine.write("kanalog.mcpb", bundle);
  // A folder name as in somebody's home.
  unpacked = machine.path("Мои программы & co");
  expect(await unpackExtension({ mcpbPath, outputDir: unpacked, silent: true })).toBe(true);
  manifest = await Bun.file(join(unpacked, "manifest.json")).json();
});
afterAll(() => machine.leave());

/** The program that a host starts once the person has filled in the fields. */
async function installed(
  runtime: string,
  userConfig: Record<string, string>,
): Promise<StdioProgram> {
  const config = await getMcpConfigForManifest({
    manifest,
    extensionPath: unpacked,
    systemDirs: {},
    userConfig,
    pathSeparator: "/",
  });
  if (config === undefined) throw new Error("the host starts nothing without the required fields");
  const { args = [], env = {} } = config;
  expect(config.command).toBe("node");
  return { command: runtime, args, env, cwd: machine.folder };
}

test("an appliance always serves the same bytes, without a key", async () => {
  expect(await (await fetch(`${address}/docs/mcp/kanalog.mcpb`)).bytes()).toEqual(bundle);
  // The time of its first file: 1 January 1980, whenever the appliance was started.
  expect(new DataView(bundle.buffer).getUint32(10, true)).toBe(0x0021_0000);
});

test("the appliance's address is filled in, and the icon is a square picture", async () => {
  expect(manifest.user_config.url.default).toBe(address);
  const picture = imageSize(await Bun.file(join(unpacked, manifest.icon)).bytes());
  expect(picture).toMatchObject({ type: "png", width: 256, height: 256 });
});

test("the manifest is valid by the published schema of its version", () => {
  const schema =
    VERSIONED_MANIFEST_SCHEMAS[
      manifest.manifest_version as keyof typeof VERSIONED_MANIFEST_SCHEMAS
    ];
  const { success, error } = schema.safeParse(manifest);
  expect(success, String(error)).toBe(true);
});

test("the manifest asks for address and key, or a file of this computer, and keeps the key secret", () => {
  const { url, key: keyField } = manifest.user_config;
  expect(Object.keys(manifest.user_config)).toEqual(["url", "key", "program", "file"]);
  expect(url).toMatchObject({ type: "string", required: true });
  expect(url.sensitive ?? false).toBe(false);
  expect(keyField).toMatchObject({ type: "string", default: "", sensitive: true });
});

test("the program gets the key in its environment, not in its arguments", async () => {
  const { args, env } = await installed("node", { url: address, key });
  expect(JSON.stringify(args)).not.toContain(key);
  expect(Object.values(env)).toContain(key);
});

test("the bundle contains the license, and no path of the machine that built it", async () => {
  expect(readdirSync(unpacked).toSorted()).toEqual([
    ...["LICENSE", "icon.png", "manifest.json", "server.mjs"],
  ]);
  const home = join(import.meta.dir, "../../..");
  for (const name of readdirSync(unpacked)) {
    expect(await Bun.file(join(unpacked, name)).text()).not.toContain(home);
  }
});

describe.each(RUNTIMES)("under %s", (name, runtime) => {
  const testHere = test.skipIf(runtime === null);

  testHere.each(clientKinds.map((kind) => [kind.name, kind] as const))(
    "the bundle connects %s to the appliance",
    async (_client, kind) => {
      const client = await kind.overStdio(await installed(runtime ?? name, { url: address, key }));
      expect(client.era()).toBe(kind.era);
      expect((await client.tools()).map((tool) => tool.name)).toEqual(
        manifest.tools.map((tool: { name: string }) => tool.name),
      );
      const card = await client.call("msgr_channels_retrieve", { channel: "nsmag" });
      expect(card.structuredContent.id).toBe(1);
      const unknown = await client.call("msgr_channels_retrieve", { channel: "nobody" });
      expect(textOf(unknown)).toStartWith("404 not_found: ");
      expect(client.complaints).toEqual([]);
      await client.close();
    },
  );

  testHere(
    "the program answers all pending requests when its input ends, and exits with 0",
    async () => {
      const talk = startTalk(await installed(runtime ?? name, { url: address, key }));
      for (let id = 1; id <= 300; id++) talk.say(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      const { exitCode, notes } = await talk.end();
      expect([exitCode, notes]).toEqual([0, ""]);
      const ids = new Set(talk.answers().map((answer) => answer.id));
      expect(ids.size).toBe(300);
    },
  );

  testHere("the bundle reads a file by this computer's own program", async () => {
    const program = machine.write("kanalog", `#!/bin/sh\nexec ${PROGRAM.join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    const fields = { url: address, program, file: machine.database };
    const talk = startTalk(await installed(runtime ?? name, fields));
    const params = { name: "msgr_channels_retrieve", arguments: { channel: "nsmag" } };
    talk.say(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    expect((await talk.answer(({ id }) => id === 1)).result.structuredContent.id).toBe(1);
    expect(await talk.end()).toMatchObject({ exitCode: 0, notes: "" });
  });

  testHere("lines end only at line feeds, not at other separators in a text", async () => {
    const talk = startTalk(await installed(runtime ?? name, { url: address, key }));
    const params = { name: "msgr_channels_list", arguments: { q: "a\u2028b\u2029c\u0085d" } };
    talk.say(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    await talk.end();
    expect(talk.answers()).toMatchObject([
      { id: 1, result: { structuredContent: { results: [] } } },
    ]);
  });

  testHere(
    "a wrong key, and an address that nobody listens on, are reported as an error of each request",
    async () => {
      for (const [fields, words] of [
        [{ url: address, key: `${key}x` }, "401"],
        [{ url: "http://127.0.0.1:9", key }, "reached"],
      ] as const) {
        const talk = startTalk(await installed(runtime ?? name, fields));
        talk.say('{"jsonrpc":"2.0","id":"a","method":"ping"}');
        await talk.end();
        const message = expect.stringContaining(words);
        expect(talk.answers()).toMatchObject([{ id: "a", error: { message } }]);
      }
    },
  );
});
