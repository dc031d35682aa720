import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guides } from "../../../../src/app/guides.ts";
import { KEY_PLACE } from "../../../../src/customers/keys/connect-snippets.ts";
import { filled, WRITTEN_ADDRESS } from "../../../../src/doors/http/docs/guide-html.ts";
import { signatureHeader } from "../../../../src/push/webhooks/delivery/attempt.ts";
import type { Language } from "../../../../src/values/messages/messages.ts";
import { fencedBlocks, ROOT } from "../../../support/documents.ts";
import { createMachine, type Machine, type Serving } from "../../../support/machine.ts";

/**
 * Generates the clients as the guide says, from a real process's document, with the helpers and the examples in
 * the guide's text.
 */
const PYTHON = Bun.which("python3");
const GENERATOR = [PYTHON ?? "python3", "-m", "openapi_python_client"];
const HAS_GENERATOR =
  PYTHON !== null &&
  Bun.spawnSync([...GENERATOR, "--version"], { stdout: "ignore", stderr: "ignore" }).success;
if (!HAS_GENERATOR) {
  console.warn("No openapi-python-client here: the client in Python was not generated.");
}

const REQUESTS_PER_SECOND = 2;
const SECRET = "whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const BODY = '{"event":"ping","webhook":1,"created_at":"2026-11-20T12:00:00+03:00","posts":[]}';
/** The sample's channels, most subscribers first. */
const IDS = [5, 4, 9, 2, 7, 1, 8, 6, 3];

/** Pages through the catalog, is refused once, verifies signatures, and sends five requests at once. */
const TRY_TYPESCRIPT = `import { everyItem, isGenuine, kanalog } from "./client.ts";

const [address = "", key = "", secret = "", body = "", ...headers] = process.argv.slice(2);
const client = kanalog(address, key);
const channels = (limit: number) =>
  everyItem((page) =>
    client.GET("/v1/msgr/channels/", { params: { query: { limit, ...page } } }),
  );
const ids: unknown[] = [];
for await (const { id } of channels(2)) ids.push(id);
const refused = await channels(1000).next().catch(({ message }) => message);
const genuine = headers.map((header) => isGenuine(secret, header, Buffer.from(body)));
console.log(JSON.stringify({ ids, refused, genuine }));
const answers = await Promise.all(Array.from({ length: 5 }, () => client.GET("/v1/me/")));
console.log(JSON.stringify(answers.map(({ data }) => data?.organization.name)));
`;
const TRY_PYTHON = `import json
import sys
from concurrent.futures import ThreadPoolExecutor

from client import every_item, is_genuine, kanalog
from kanalog_client.api.account import me_retrieve
from kanalog_client.api.channels import msgr_channels_list

address, key, secret, body, *headers = sys.argv[1:]
client = kanalog(address, key)
ids = [channel.id for channel in every_item(msgr_channels_list, client=client, limit=2)]
try:
    next(every_item(msgr_channels_list, client=client, limit=1000))
except RuntimeError as error:
    refused = json.dumps(error.args[0].to_dict())
genuine = [is_genuine(secret, header, body.encode()) for header in headers]
print(json.dumps({"ids": ids, "refused": refused, "genuine": genuine}))
with ThreadPoolExecutor(5) as pool:
    answers = list(pool.map(lambda _: me_retrieve.sync(client=client), range(5)))
print(json.dumps([answer.organization.name for answer in answers]))
`;

interface Client {
  info: "ts" | "python";
  skipped: boolean;
  client: string;
  use: string;
  attempt: { file: string; code: string };
  /** Commands that generate the client in the folder, and type-check it. */
  build: (document: string) => string[][];
  run: (file: string) => string[];
}

const COMPILE = [
  ...[process.execPath, join(ROOT, "node_modules/typescript-native/bin/tsc"), "--noEmit"],
  ...["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck"],
  ...["--module", "preserve", "--target", "esnext", "--types", "bun"],
  ...["--allowImportingTsExtensions", "client.ts", "use.ts", "try.ts"],
];
const languages: Client[] = [
  {
    info: "ts",
    skipped: false,
    client: "client.ts",
    use: "use.ts",
    attempt: { file: "try.ts", code: TRY_TYPESCRIPT },
    build: (document) => [
      [
        ...[process.execPath, join(ROOT, "node_modules/openapi-typescript/bin/cli.js")],
        ...[document, "-o", "kanalog.ts"],
      ],
      COMPILE,
    ],
    run: (file) => [process.execPath, file],
  },
  {
    info: "python",
    skipped: !HAS_GENERATOR,
    client: "client.py",
    use: "use.py",
    attempt: { file: "try.py", code: TRY_PYTHON },
    build: (document) => [
      [
        ...[...GENERATOR, "generate", "--url", document],
        ...["--meta", "none", "--output-path", "kanalog_client"],
      ],
    ],
    run: (file) => [PYTHON ?? "python3", file],
  },
];

let machine: Machine;
let serving: Serving;
let key: string;
/** Forwards requests to the process, except the first for the account, which it answers with a 429. */
let between: Bun.Server<undefined>;
/** Status of each answer, as the client saw it. */
const statuses: number[] = [];

beforeAll(async () => {
  machine = createMachine();
  await machine.json(["import", "channels", join(ROOT, "data/sample/channels.ndjson")]);
  ({ key } = await machine.customer("profi"));
  serving = await machine.serve();
  await machine.json(["plan", "set", "profi", "--rate", String(REQUESTS_PER_SECOND)]);
  between = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { headers } = request;
      if (pathname === "/v1/me/" && !statuses.includes(429)) {
        statuses.push(429);
        return new Response("{}", { status: 429, headers: { "retry-after": "1" } });
      }
      const answer = await fetch(serving.address + pathname + search, {
        headers,
        decompress: false,
      });
      statuses.push(answer.status);
      return answer;
    },
  });
});
afterAll(async () => {
  await between.stop(true);
  await machine.leave();
});

/** The guide's code blocks in one programming language. */
function codeOf(info: Client["info"], language: Language): string[] {
  const text = guides.find(({ name }) => name === "clients")?.texts[language] ?? "";
  return fencedBlocks({ path: "", text: filled(text, language) })
    .filter((block) => block.info === info)
    .map(({ code }) => code);
}

/** Runs a command, which must succeed. @returns what it prints */
async function printedBy(command: string[], cwd: string): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: machine.folder, PYTHONIOENCODING: "utf-8" };
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [out, notes] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(await child.exited, `${command.join(" ")}: ${out}${notes}`).toBe(0);
  return out;
}

describe.each(languages)("the client in $info", ({ info, skipped, build, run, ...files }) => {
  const folder = () => machine.path(info);
  const write = (name: string, code: string) => writeFileSync(join(folder(), name), code);

  test.skipIf(skipped)("is generated and built, and does what the guide shows", async () => {
    mkdirSync(folder());
    symlinkSync(join(ROOT, "node_modules"), join(folder(), "node_modules"));
    const [client = "", use = "", ...others] = codeOf(info, "en");
    expect(others).toEqual([]);
    expect(codeOf(info, "ru")).toEqual([client, use]);
    write(files.client, client);
    write(files.use, use.replace(WRITTEN_ADDRESS, serving.address).replace(KEY_PLACE, key));
    write(files.attempt.file, files.attempt.code);
    for (const command of build(`${serving.address}/docs/json`)) await printedBy(command, folder());
    expect((await printedBy(run(files.use), folder())).split("\n")).toEqual([
      "Naked Science",
      "2 Новости Москвы",
      "7 Москвач • Новости Москвы",
      "",
    ]);
  });

  test.skipIf(skipped)(
    "reads all pages, waits for RateLimit and Retry-After, and verifies signatures",
    async () => {
      const bytes = new TextEncoder().encode(BODY);
      const signed = (atMs: number, ...secrets: string[]) => signatureHeader(bytes, secrets, atMs);
      const good = signed(Date.now(), SECRET);
      const headers = {
        [good]: true,
        [signed(Date.now(), "whsec_former", SECRET)]: true,
        [signed(Date.now() - 200_000, SECRET)]: true,
        [signed(Date.now() - 302_000, SECRET)]: false,
        [signed(Date.now() + 500_000, SECRET)]: false,
        [signed(Date.now(), "whsec_other")]: false,
        [good.replace("v1", "v0")]: false,
        [good.replace(/v1=../, "v1=zz")]: false,
        [good.slice(0, -2)]: false,
        "t=,v1=": false,
        "t=NaN,v1=00": false,
        "": false,
      };
      statuses.length = 0;
      const address = between.url.origin;
      const values = [address, key, SECRET, BODY, ...Object.keys(headers)];
      const command = [...run(files.attempt.file), ...values];
      const [first = "", second = ""] = (await printedBy(command, folder())).split("\n");
      const { ids, refused, genuine } = JSON.parse(first);
      expect(ids).toEqual(IDS);
      expect(genuine).toEqual(Object.values(headers));
      expect(JSON.parse(refused)).toEqual({
        limit: ["Ensure this value is less than or equal to 100."],
      });
      // Sequential requests get no 429, although the plan allows fewer a second.
      const pages = Math.ceil(IDS.length / 2);
      expect(statuses.slice(0, pages + 1)).toEqual([...Array(pages).fill(200), 400]);
      // Of five at once, at least one gets a 429, and all are answered in the end.
      expect(JSON.parse(second)).toEqual(Array(5).fill("Acme"));
      const rest = statuses.slice(pages + 1);
      expect(rest.filter((status) => status === 200)).toHaveLength(5);
      expect(rest).toContain(429);
    },
  );
});
