import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMachine } from "../../support/machine.ts";
import { recordFile } from "./record-file.ts";

/** Files of released versions, and one of this version, made as they are. */
const own = mkdtempSync(join(tmpdir(), "kanalog-released-"));
afterAll(() => rmSync(own, { recursive: true }));
const kept = [...new Bun.Glob("*.db.gz").scanSync(import.meta.dir)].sort();
const files = [
  ...kept.map((name) => async () => join(import.meta.dir, name)),
  () => recordFile(own),
];

test.each(files)(
  "a file of each released version opens, is whole and loses nothing (%#)",
  async (get) => {
    const path = await get();
    expect(statSync(path).size).toBeLessThan(1_000_000);
    const machine = createMachine();
    try {
      machine.write("kanalog.db", Bun.gunzipSync(readFileSync(path)));
      machine.write("before.db", Bun.gunzipSync(readFileSync(path)));
      const listed = await machine.json<{ results: unknown[] }>(["org", "list"]);
      expect(listed.results).toHaveLength(2);
      expect((await machine.run(["check"])).exitCode).toBe(0);
      const counts = (table: string) => machine.query(`SELECT count(*) AS n FROM ${table}`)[0];
      expect(counts("channels")).toEqual({ n: 9 });
      expect(counts("posts")).toEqual({ n: 732 });
      expect(counts("keys")).toEqual({ n: 2 });
      // The way back: the file of before is restored.
      expect((await machine.run(["restore", machine.path("before.db")])).exitCode).toBe(0);
      expect(counts("posts")).toEqual({ n: 732 });
    } finally {
      await machine.leave();
    }
  },
);

test("a file of a newer version is refused, naming both, and left as it is", async () => {
  const machine = createMachine();
  try {
    expect((await machine.run(["plan", "list"])).exitCode).toBe(0);
    const db = machine.open();
    db.pragma("user_version = 99999");
    db.close();
    const before = readFileSync(machine.database);
    const { exitCode, notes } = await machine.run(["serve"]);
    expect(exitCode).toBe(1);
    expect(notes).toContain("99999");
    expect(readFileSync(machine.database).equals(before)).toBe(true);
  } finally {
    await machine.leave();
  }
});
