import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { type App, createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config.ts";
import { WRITTEN_ADDRESS } from "../../src/doors/http/docs/guide-html.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { type Document, fencedBlocks, guideDocuments, readDocument } from "../support/documents.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { createMachine, type Machine, PROGRAM } from "../support/machine.ts";
import { until } from "../support/until.ts";

/**
 * Runs the shell blocks of the README and all guides in order on one appliance that was started for the first time,
 * those of one document in one shell.
 */
const documents = [readDocument("README.md"), ...guideDocuments].map((document) => ({
  ...document,
  blocks: fencedBlocks(document).filter(({ info }) => /^sh\b/.test(info)),
}));

/** Beginnings of the blocks that no test can run, which are marked `norun`, and why. */
const NOT_RUN: Record<string, string> = {
  "git clone": "needs the repository's address",
  "sudo cp": "changes the machine's services, as root",
  "sudo env": "replaces the executable, which test/doors/cli/serving/upgrade.test.ts does",
  "systemctl stop": "changes the machine's services, as root",
  "export KANALOG_CLUSTER":
    "needs a PostgreSQL, with which test/cluster/guide.campaign.ts pastes it",
  "KANALOG_NODE=": "is pasted by test/cluster/guide.campaign.ts too",
  "kanalog cluster files": "names machines, as test/cluster/deployment-files.test.ts does",
  "export KANALOG_SECRET": "needs Docker; test/packaging/cluster-compose.test.ts runs its nodes",
  "docker build": "needs Docker",
  "docker stop": "needs Docker",
  "KANALOG_BASE_URL=https": "needs Docker and an address of one's own",
  "claude mcp add": "needs Claude Code",
  "kanalog sample remove":
    "would leave the blocks that follow without channels; the README runs it",
  "curl https://data.example.com": "needs an address of one's own",
  "kanalog conformance": "needs a key, as test/conformance/kit.campaign.ts has one",
  "kanalog source remove @kanalog_demo_bot":
    "needs the demo's posts, as test/catalog/sources/demo.test.ts has them",
  "kanalog source pushes": "needs a bot at MAX",
  "mkdir -p demo": "needs the folder of the project, as test/catalog/sources/folder.test.ts has it",
  "bun run check": "is what runs this test",
  "npm install": "fetches packages, as test/doors/http/docs/clients.test.ts has them",
  "pip install": "fetches packages, as test/doors/http/docs/clients.test.ts has them",
  "export OPERATOR=":
    "needs the key that was just printed, as test/doors/http/operator.test.ts has one",
  "kanalog operator-webhook create":
    "needs a receiver of one's own, as test/journeys/operator-billing.test.ts has one",
  "kanalog member password": "asks somebody who sits at a terminal",
};

const TOOLS = ["bash", "curl"].every((name) => Bun.which(name) !== null);
if (!TOOLS) console.warn("No bash or no curl here: what is to be pasted was not run.");

let machine: Machine;
let app: App;
let address: string;
let key: string;
beforeAll(async () => {
  machine = createMachine();
  const first = await machine.serve(["start"]);
  await until(() => first.printed().includes("API key"));
  key = /knl_rw_[0-9A-Za-z]{38}/.exec(first.printed())?.[0] ?? "";
  await first.stop();
  // In this process, so that the addresses that webhooks name exist; by the clock that the commands go by.
  const config = readConfig({ KANALOG_DB: machine.database, KANALOG_PORT: "0" });
  app = await createApp(config, { ...fakePorts(), clock: systemClock });
  address = app.listen();
});
afterAll(async () => {
  await app.close();
  await machine.leave();
});

/** A failing command ends the shell, and a refused request counts as a failing command. */
const PRELUDE = `set -euo pipefail
kanalog() { ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
`;

/** The README ends by removing the sample, which the guides go on with: that comes last of all. */
const REMOVES_SAMPLE = "kanalog sample remove\n";

const scriptOf = ({ blocks }: (typeof documents)[number]): string =>
  blocks
    .filter(({ info, code }) => info === "sh" && code !== REMOVES_SAMPLE)
    .map(({ code }) => code)
    .join("");

/** @returns what the shell printed, and how it ended */
async function paste({ path }: Document, code: string): Promise<string> {
  const folder = machine.path(path.replaceAll("/", "-"));
  mkdirSync(folder);
  const script = code.replaceAll(WRITTEN_ADDRESS, address).replaceAll(/knl_rw_…|YOUR_KEY/g, key);
  const child = Bun.spawn(["bash", "-c", PRELUDE + script], {
    cwd: folder,
    env: {
      KANALOG_DB: machine.database,
      KANALOG_PORT: new URL(address).port,
      PATH: process.env["PATH"] ?? "",
      // Without a home folder Bun has no cache, and each command would transpile all sources again.
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
}

test.skipIf(!TOOLS)("the shell blocks of the documentation work when they are pasted", async () => {
  // A translated guide has mostly the same blocks, which are run once.
  const pasted = new Set([""]);
  const failed: [path: string, printed: string][] = [];
  // One after another: each appliance answers from this process, and starting the next one would delay it.
  for (const document of documents) {
    const code = scriptOf(document);
    if (pasted.has(code)) continue;
    pasted.add(code);
    const printed = await paste(document, code);
    if (printed.startsWith("exit")) failed.push([document.path, printed]);
  }
  expect(failed).toEqual([]);
  expect((await machine.run(["sample", "remove"])).exitCode).toBe(0);

  // Following them in order makes the customer the owner of a separate organization, and nobody staff unasked.
  const db = new BetterSqlite3(machine.database, { readonly: true });
  const staff = db.prepare("SELECT email FROM people WHERE is_staff = 1").all();
  const places = db
    .prepare(
      `SELECT o.name, m.role FROM members m JOIN organizations o ON o.id = m.organization_id
       WHERE m.email = 'ada@example.com'`,
    )
    .all();
  const channels = db.prepare("SELECT handle FROM channel_cards").all();
  db.close();
  expect(staff).toEqual([{ email: "boss@example.com" }]);
  expect(places).toEqual([{ name: "Acme", role: "owner" }]);
  // Channels of one's own stay when the sample is removed.
  expect(channels).toContainEqual({ handle: "my_channel" });
  expect(channels).not.toContainEqual({ handle: "nsmag" });
});

test.skipIf(!TOOLS)("a shell block that does not work is noticed", async () => {
  const document = { path: "broken", text: "" };
  for (const code of ["kanalog import nothing x.csv\n", `curl ${WRITTEN_ADDRESS}/v1/nothing/\n`]) {
    expect(await paste({ ...document, path: code.slice(0, 4) }, code)).toStartWith("exit");
  }
});

test("only blocks that cannot be run are marked as such", () => {
  const marked = documents.flatMap(({ blocks }) => blocks.filter(({ info }) => info !== "sh"));
  const reasons = Object.keys(NOT_RUN);
  const unknown = marked.filter(({ info, code }) => {
    return info !== "sh norun" || !reasons.some((start) => code.startsWith(start));
  });
  expect(unknown).toEqual([]);
  expect(reasons.filter((start) => !marked.some(({ code }) => code.startsWith(start)))).toEqual([]);
  expect(documents.flatMap(({ blocks }) => blocks).length - marked.length).toBeGreaterThan(15);
});
