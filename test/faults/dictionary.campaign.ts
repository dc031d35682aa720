import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMachine, type Machine } from "../support/machine.ts";

/** The program with a dictionary that is missing or broken, as a disk or a copy leaves it. */

const ROOT = join(import.meta.dir, "../..");
const DICTIONARY = "program/data/dictionary/lemmas.bin";
let machine: Machine;
let key: string;
beforeAll(async () => {
  machine = createMachine();
  for (const name of ["src", "data", "LICENSE", "README.md", "package.json", "tsconfig.json"]) {
    cpSync(join(ROOT, name), machine.path(`program/${name}`), {
      recursive: true,
      // A developer's own databases stay.
      filter: (path) => !/\.db|\/bench/.test(path.slice(ROOT.length)),
    });
  }
  symlinkSync(join(ROOT, "node_modules"), machine.path("program/node_modules"));
  ({ key } = await machine.customer("start"));
  machine.write("channels.csv", "id,kind,title,subscribers\n1,channel,News,5\n");
  machine.write("posts.csv", "id,channel,published_at,text\n1,1,2026-11-01,Новые кратеры\n");
  for (const kind of ["channels", "posts"]) await machine.json(["import", kind, `${kind}.csv`]);
});
afterAll(() => machine.leave());

const whole = readFileSync(join(ROOT, "data/dictionary/lemmas.bin"));
const FAULTS = {
  missing: () => rmSync(machine.path(DICTIONARY)),
  empty: () => writeFileSync(machine.path(DICTIONARY), ""),
  cut: () => writeFileSync(machine.path(DICTIONARY), whole.subarray(0, whole.length / 2)),
};

test.each(Object.keys(FAULTS) as (keyof typeof FAULTS)[])(
  "with a dictionary that is %s, the log says so once, and words are found by their stems",
  async (fault) => {
    FAULTS[fault]();
    const serving = await machine.serve(["serve"], {
      program: [process.execPath, machine.path("program/src/main.ts")],
      environment: { KANALOG_LOG_LEVEL: "error" },
    });
    const found = await serving.get(
      `/v1/msgr/posts/search/?q=${encodeURIComponent("кратера")}`,
      key,
    );
    expect([found.status, ((await found.json()) as { results: unknown[] }).results.length]).toEqual(
      [200, 1],
    );
    const told = serving
      .printed()
      .split("\n")
      .filter((line) => line.includes("the dictionary of post search cannot be read"));
    expect(told).toHaveLength(1);
    await serving.stop();
  },
);
