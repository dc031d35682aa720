import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackExtension } from "@anthropic-ai/mcpb";
import type { CommandContext } from "../../src/doors/cli/command-context.ts";
import { runCommandLine } from "../../src/doors/cli/command-line.ts";
import { TOOL_NAMES } from "../support/mcp-requests.ts";
import { startTalk } from "../support/stdio-talk.ts";
import { until } from "../support/until.ts";
import { PASSWORD, remoteVisitor } from "../support/visitor.ts";

/** Tests the executable alone: in an empty folder, without any environment. */
const BUILD = join(import.meta.dir, "../../src/packaging/build.ts");
const OUTSIDE = mkdtempSync(join(tmpdir(), "kanalog-executable-"));
const empty = { cwd: mkdtempSync(join(tmpdir(), "kanalog-empty-")), env: {} };
let executable = "";
let server: Bun.Subprocess<"ignore", "pipe", "pipe">;
let printed = "";
let address = "";
let key = "";

const run = (...words: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, ...words], empty);
  return { exitCode, out: stdout.toString(), notes: stderr.toString() };
};
const get = (path: string, init: RequestInit = {}) => fetch(address + path, init);
// biome-ignore lint/suspicious/noExplicitAny: the answers of many methods
const ask = async (path: string): Promise<any> => {
  const answer = await get(`/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status, path).toBe(200);
  return answer.json();
};

async function read(stream: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) printed += decoder.decode(chunk, { stream: true });
}

beforeAll(async () => {
  const built = Bun.spawnSync([process.execPath, BUILD, "--outdir", OUTSIDE]);
  expect(built.stderr.toString()).toBe("");
  executable = join(OUTSIDE, readdirSync(OUTSIDE)[0] ?? "");
  server = Bun.spawn([executable, "start", "--port", "0"], {
    ...empty,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  void read(server.stdout);
  void read(server.stderr);
  await until(() => printed.includes("/account/set-up/") && printed.includes("curl"));
  address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "";
  key = /knl_rw_[0-9A-Za-z]{38}/.exec(printed)?.[0] ?? "";
});

afterAll(async () => {
  server.kill("SIGKILL");
  await server.exited;
  for (const folder of [OUTSIDE, empty.cwd]) rmSync(folder, { recursive: true });
});

test("it is ready, with sample data, and searches on its threads", async () => {
  expect((await get("/readyz")).status).toBe(200);
  expect(await ask("/msgr/channels/nsmag/")).toMatchObject({ handle: "nsmag" });
  expect(await ask(`/msgr/channels/?q=${encodeURIComponent("новости")}`)).toMatchObject({
    results: [{ title: "Новости Москвы" }, { title: "Москвач • Новости Москвы" }],
  });
  expect((await ask("/msgr/channels/nsmag/posts/")).results.length).toBeGreaterThan(0);
  expect((await ask("/msgr/categories/")).results.length).toBeGreaterThan(10);
});

test("if the driver cannot be unpacked, the message names the folder to blame", () => {
  const env = { TMPDIR: join(empty.cwd, "missing"), KANALOG_DB: join(OUTSIDE, "other.db") };
  const { exitCode, stderr } = Bun.spawnSync([executable, "plan", "list"], { ...empty, env });
  expect(exitCode).toBe(1);
  expect(stderr.toString()).toContain(`${env.TMPDIR}: let TMPDIR name a folder`);
});

test("every page is complete, with the files it loads", async () => {
  const pages = [
    "/",
    "/docs/",
    "/docs/webhooks/?lang=ru",
    "/staff/guides/operating/",
    "/account/sign-in/",
  ];
  const files = new Set(["/account/assets/uplot.js", "/account/assets/uplot.css", "/docs/json"]);
  for (const page of pages) {
    const answer = await get(page);
    expect(answer.status, page).toBe(200);
    for (const [, file = ""] of (await answer.text()).matchAll(
      /<(?:link|script)[^>]*(?:href|src)="([^"]+)"/g,
    ))
      files.add(new URL(file, address + page).pathname);
  }
  expect(files.size).toBeGreaterThan(8);
  for (const file of files) {
    const answer = await get(file);
    expect(answer.status, file).toBe(200);
    expect((await answer.bytes()).length, file).toBeGreaterThan(100);
  }
});

test("a person sets the site up, signs in and imports an upload", async () => {
  const visitor = remoteVisitor(address);
  const path = /\/account\/set-up\/\?token=\S+/.exec(printed)?.[0] ?? "";
  const setUp = await visitor.post(path, {
    ...{ action: "set-up", token: path.split("=")[1] ?? "", name: "Ada", organization: "Acme" },
    ...{ email: "ada@example.com", password: PASSWORD },
  });
  expect(setUp.location).toBe("/staff/start/");
  const file = new File(["title,handle,subscribers\nUploaded,uploaded,5\n"], "channels.csv");
  const sent = await visitor.post("/staff/imports/", { action: "import", kind: "channels", file });
  const run = sent.headers.get("location") ?? "";
  await until(async () => !(await visitor.get(run)).body.includes("data-refresh"));
  expect(await ask("/msgr/channels/uploaded/")).toMatchObject({ title: "Uploaded" });
});

test("an import beside the serving process is served at once", async () => {
  // The sample's posts end yesterday, so this one is the newest.
  const now = new Date().toISOString();
  writeFileSync(
    join(empty.cwd, "posts.csv"),
    `channel,msgr_post_id,text,published_at\n@nsmag,1000001,Ещё один,${now}\n`,
  );
  const imported = run("import", "posts", "posts.csv", "--json");
  expect(imported).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(imported.out)).toMatchObject({ inserted: 1, rejected: 0 });
  rmSync(join(empty.cwd, "posts.csv"));
  expect(await ask("/msgr/channels/nsmag/posts/?limit=1")).toMatchObject({
    results: [{ text: "Ещё один" }],
  });
});

test("an assistant reaches it over standard input and output", async () => {
  const args = ["mcp", "--url", address, "--key", key];
  const talk = startTalk({ command: executable, args, ...empty });
  talk.say(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
  const { result } = await talk.answer(({ id }) => id === 1);
  expect(result.tools).toHaveLength(TOOL_NAMES.length);
  expect((await talk.end()).exitCode).toBe(0);
});

test("it serves the bundle, whose program it contains without the sources", async () => {
  const mcpbPath = join(empty.cwd, "kanalog.mcpb");
  writeFileSync(mcpbPath, await (await get("/docs/mcp/kanalog.mcpb")).bytes());
  const outputDir = join(empty.cwd, "unpacked");
  expect(await unpackExtension({ mcpbPath, outputDir, silent: true })).toBe(true);
  const program = join(outputDir, "server.mjs");
  const environment = { KANALOG_URL: address, KANALOG_KEY: key };
  const talk = startTalk({
    ...{ command: process.execPath, args: [program] },
    ...{ env: environment, cwd: empty.cwd },
  });
  talk.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  await talk.end();
  const [answer] = talk.answers();
  expect(answer?.result.tools.map(({ name }: { name: string }) => name)).toEqual(TOOL_NAMES);
  rmSync(mcpbPath);
  rmSync(outputDir, { recursive: true });
});

test("every command exists", async () => {
  let help = "";
  const output = { out: (text: string) => (help += text), note: () => {} };
  await runCommandLine(["--help"], { output } as unknown as CommandContext);
  const lines = (text: string) => text.split("\n").filter((line) => line !== "");
  expect(lines(run("--help").out)).toEqual(lines(help));
  expect(JSON.parse(run("openapi").out).openapi).toStartWith("3.");
  expect(run("config").out).toContain("KANALOG_DB");
  expect(run("org", "list").out).toContain("Acme");
});

test("settings come from the environment, and not from any file in the working directory", () => {
  writeFileSync(join(empty.cwd, ".env"), "KANALOG_PORT=nonsense\n");
  writeFileSync(join(empty.cwd, "bunfig.toml"), 'preload = ["./missing.ts"]\n');
  const { exitCode, out } = run("config");
  for (const file of [".env", "bunfig.toml"]) rmSync(join(empty.cwd, file));
  expect(exitCode).toBe(0);
  expect(out).not.toContain("nonsense");
});

test("it contains no path of the folder it was built in, and so reads nothing there", async () => {
  const content = Buffer.from(await Bun.file(executable).arrayBuffer());
  expect(content.includes("Kanalog: Channel Data API")).toBe(true);
  expect(content.includes(join(import.meta.dir, "../.."))).toBe(false);
});

test("on SIGTERM it exits with 0, and leaves only its database behind", async () => {
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  expect(readdirSync(empty.cwd, { recursive: true }).toSorted()).toEqual([
    "data",
    "data/kanalog.db",
    "data/kanalog.db-turns",
    "data/kanalog.db.secret",
  ]);
});
