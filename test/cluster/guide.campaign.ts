import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import guide from "../../src/cluster/cluster.md" with { type: "text" };
import { openExisting } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine, PROGRAM, type Serving } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";
import { until } from "../support/until.ts";

/** The guide's blocks, pasted into a shell: from one file to three machines, and back. */

let machine: Machine;
let url: string;
let secret: string;
beforeEach(async () => {
  machine = createMachine();
  mkdirSync(machine.path("bin"));
  const words = PROGRAM.map((word) => `'${word}'`).join(" ");
  chmodSync(machine.write("bin/kanalog", `#!/bin/sh\nexec ${words} "$@"\n`), 0o755);
  if (hasPostgres) url = await newPostgresDatabase();
});
afterEach(() => machine.leave());

/** The guide's shell block that has this line. */
function blockWith(line: string): string {
  const blocks = [...guide.matchAll(/```sh norun\n(.*?)```/gs)].map(([, block]) => block ?? "");
  const found = blocks.find((block) => block.includes(line));
  if (found === undefined) throw new Error(`the guide has no block with ${line}`);
  return found;
}

/** Runs a block in the folder of one of the machines. */
async function paste(folder: string, block: string): Promise<string> {
  mkdirSync(machine.path(folder), { recursive: true });
  const text = block
    .replace(/^export KANALOG_CLUSTER=.*$/m, "")
    .replace(/^export KANALOG_SECRET=.*$/m, "");
  const shell = Bun.spawn(["sh", "-ec", text], {
    cwd: machine.path(folder),
    env: {
      PATH: `${machine.path("bin")}:${process.env["PATH"]}`,
      ...{ HOME: machine.folder, KANALOG_CLUSTER: url, KANALOG_SECRET: secret },
      ...{ KANALOG_LOG_LEVEL: "silent", KANALOG_DB: join(machine.path(folder), "data/kanalog.db") },
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, notes] = await Promise.all([shell.stdout.text(), shell.stderr.text()]);
  expect(await shell.exited, `${text}${out}${notes}`).toBe(0);
  return out;
}

test.skipIf(!hasPostgres)(
  "the guide's commands lead from one file to three machines and back",
  async () => {
    const files = { KANALOG_DB: machine.path("one/data/kanalog.db") };
    mkdirSync(machine.path("one/data"), { recursive: true });
    machine.write("channels.csv", "id,title,subscribers\n1,Птицы,10\n");
    const words = ["import", "channels", machine.path("channels.csv")];
    expect((await machine.runProgram(words, { environment: files })).exitCode).toBe(0);
    const served = await machine.serve(["serve"], { environment: files });
    expect(await served.stop()).toBe(0);
    secret = readFileSync(machine.path("one/data/kanalog.db.secret"), "utf8").trim();

    await paste("one", blockWith("cluster init"));
    const join_ = blockWith("cluster join");
    for (const name of ["two", "three"]) {
      mkdirSync(machine.path(`${name}/data`), { recursive: true });
      await paste(name, join_.replace("KANALOG_NODE=two", `KANALOG_NODE=${name}`));
    }
    const nodes = await Promise.all(
      ["one", "two", "three"].map((name) =>
        machine.serve(["serve"], {
          environment: {
            ...{ KANALOG_CLUSTER: url, KANALOG_NODE: name, KANALOG_SECRET: secret },
            KANALOG_DB: machine.path(`${name}/data/kanalog.db`),
          },
        }),
      ),
    );
    const isReady = async ({ get }: Serving) => (await get("/readyz")).status === 200;
    for (const node of nodes) await until(() => isReady(node), "a node that is ready");
    // The tests' PostgreSQL has no standby, which the doctor would call wrong.
    const status = blockWith("cluster doctor").replace(/^.*cluster doctor\n/m, "");
    const list = await paste("one", status);
    for (const name of ["one", "two", "three"]) expect(list).toMatch(new RegExp(`^${name} `, "m"));
    for (const node of nodes) expect(await node.stop()).toBe(0);

    await paste("one", blockWith("cluster leave"));
    const alone = await machine.serve(["serve"], {
      environment: { KANALOG_DB: machine.path("one/alone.db"), KANALOG_SECRET: secret },
    });
    expect((await alone.get("/readyz")).status).toBe(200);
    expect(await alone.stop()).toBe(0);
    using db = openExisting(machine.path("one/alone.db"), systemClock);
    expect(db.prepare("SELECT title FROM channel_cards").all()).toEqual([{ title: "Птицы" }]);
  },
);
