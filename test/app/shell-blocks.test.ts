import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config.ts";
import { WRITTEN_ADDRESS } from "../../src/doors/http/docs/guide-html.ts";
import { type Document, fencedBlocks, guideDocuments, readDocument } from "../support/documents.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { createMachine, type Machine, PROGRAM, until } from "../support/machine.ts";

/**
 * What the README and the guides give to paste, pasted: the blocks of each document in their order, by
 * one shell, beside an appliance that was started for the first time.
 */
const documents = [readDocument("README.md"), ...guideDocuments].map((document) => ({
  ...document,
  blocks: fencedBlocks(document).filter(({ info }) => /^sh\b/.test(info)),
}));

/** How the blocks begin that no test can run, which are marked `norun`, and why. */
const NOT_RUN: Record<string, string> = {
  "sudo cp": "changes the machine's services, as root",
  "systemctl stop": "changes the machine's services, as root",
  "export KANALOG_CLUSTER": "needs a PostgreSQL, as test/upkeep/cluster/commands.test.ts has it",
  "export KANALOG_SECRET": "needs Docker; test/packaging/cluster-compose.test.ts runs its nodes",
  "docker build": "needs Docker",
  "docker stop": "needs Docker",
  "KANALOG_BASE_URL=https": "needs Docker and an address of one's own",
  "claude mcp add": "needs Claude Code",
  "kanalog sample remove":
    "would leave the blocks that follow without channels; the README runs it",
  "curl https://data.example.com": "needs an address of one's own",
  "kanalog source pushes": "needs a bot at MAX",
  "mkdir -p demo": "needs the folder of the project, as test/catalog/sources/folder.test.ts has it",
  "bun run check": "is what runs this test",
  "npm install": "fetches packages, as test/doors/http/docs/clients.test.ts has them",
  "pip install": "fetches packages, as test/doors/http/docs/clients.test.ts has them",
  "kanalog member password": "asks somebody who sits at a terminal",
};

const TOOLS = ["bash", "curl"].every((name) => Bun.which(name) !== null);
if (!TOOLS) console.warn("No bash or no curl here: what is to be pasted was not run.");

let machine: Machine;
let key: string;
beforeAll(async () => {
  machine = createMachine();
  const first = await machine.serve(["start"]);
  await until(() => first.printed().includes("API key"));
  key = /knl_rw_[0-9A-Za-z]{38}/.exec(first.printed())?.[0] ?? "";
  await first.stop();
});
afterAll(() => machine.leave());

/** A command that fails ends the shell, a request that is refused is a command that fails. */
const PRELUDE = `set -euo pipefail
kanalog() { ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
`;

const scriptOf = ({ blocks }: (typeof documents)[number]): string =>
  blocks
    .filter(({ info }) => info === "sh")
    .map(({ code }) => code)
    .join("");

/** Commands that ask a serving appliance; the others need its file only. */
const ASKS = /\bcurl\b|\bkanalog health\b/;

/** @returns what the shell printed, and how it ended */
async function paste({ path }: Document, code: string): Promise<string> {
  const folder = machine.path(path.replaceAll("/", "-"));
  mkdirSync(folder);
  for (const suffix of ["", ".secret"]) {
    cpSync(`${machine.database}${suffix}`, join(folder, `kanalog.db${suffix}`));
  }
  const environment = { KANALOG_DB: join(folder, "kanalog.db"), KANALOG_PORT: "0" };
  const app = ASKS.test(code) ? await createApp(readConfig(environment), fakePorts()) : null;
  try {
    const address = app?.listen() ?? WRITTEN_ADDRESS;
    const script = code.replaceAll(WRITTEN_ADDRESS, address).replaceAll(/knl_rw_…|YOUR_KEY/g, key);
    const child = Bun.spawn(["bash", "-c", PRELUDE + script], {
      cwd: folder,
      env: {
        ...environment,
        PATH: process.env["PATH"] ?? "",
        KANALOG_PORT: new URL(address).port,
        // Without a home there is no cache, and each command that runs the sources would read all of them anew.
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: machine.path("transpiled"),
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, notes, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    return exitCode === 0 ? out : `exit ${exitCode}\n${out}\n${notes}`;
  } finally {
    await app?.close();
  }
}

test.skipIf(!TOOLS)("what is given to paste does what it says", async () => {
  // A guide in another language has mostly the same blocks, which are pasted once.
  const scripts = new Map(documents.toReversed().map((document) => [scriptOf(document), document]));
  scripts.delete("");
  const failed: [path: string, printed: string][] = [];
  // One after another: each appliance answers from this process, and starting the next would hold it up.
  for (const [code, document] of scripts) {
    const printed = await paste(document, code);
    if (printed.startsWith("exit")) failed.push([document.path, printed]);
  }
  expect(failed).toEqual([]);

  // Followed in its order, the README makes the customer the owner of an organization of their own.
  const db = new BetterSqlite3(machine.path("README.md/kanalog.db"), { readonly: true });
  const places = db
    .prepare(
      `SELECT o.name, m.role FROM members m JOIN organizations o ON o.id = m.organization_id
       WHERE m.email = 'ada@example.com'`,
    )
    .all();
  const channels = db.prepare("SELECT handle FROM channel_cards").all();
  db.close();
  expect(places).toEqual([{ name: "Acme", role: "owner" }]);
  expect(channels).toEqual([{ handle: "my_channel" }]);
});

test.skipIf(!TOOLS)("a block that no longer works would be seen", async () => {
  const document = { path: "broken", text: "" };
  for (const code of ["kanalog import nothing x.csv\n", `curl ${WRITTEN_ADDRESS}/v1/nothing/\n`]) {
    expect(await paste({ ...document, path: code.slice(0, 4) }, code)).toStartWith("exit");
  }
});

test("only what cannot be run is not", () => {
  const marked = documents.flatMap(({ blocks }) => blocks.filter(({ info }) => info !== "sh"));
  const reasons = Object.keys(NOT_RUN);
  const unknown = marked.filter(({ info, code }) => {
    return info !== "sh norun" || !reasons.some((start) => code.startsWith(start));
  });
  expect(unknown).toEqual([]);
  expect(reasons.filter((start) => !marked.some(({ code }) => code.startsWith(start)))).toEqual([]);
  expect(documents.flatMap(({ blocks }) => blocks).length - marked.length).toBeGreaterThan(15);
});
