import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/upkeep/checks/finding.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";

/** A program whose dictionary is missing or broken: posts are found by stems, and every answer and the doctor say so. */

const ROOT = join(import.meta.dir, "../..");

let machine: Machine;
let program: string[];
let dictionary: string;
beforeEach(() => {
  machine = createMachine();
  const folder = machine.path("program");
  const data = ["dictionary", "directories", "sample"].map((name) => `data/${name}`);
  for (const name of ["src", ...data, "LICENSE", "README.md", "package.json"]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  program = [process.execPath, join(folder, "src/main.ts")];
  dictionary = join(folder, "data/dictionary/lemmas.bin");
});
afterEach(() => machine.leave());

test.each(["missing", "broken"])("a dictionary that is %s", async (how) => {
  rmSync(dictionary);
  if (how === "broken") writeFileSync(dictionary, "no dictionary");
  const { key } = await machine.customer();
  machine.write("channels.csv", "id,title,subscribers\n1,News,5\n");
  machine.write(
    "posts.csv",
    "id,channel,published_at,text\n1,1,2026-11-20T10:00:00Z,рынок\n2,1,2026-11-20T11:00:00Z,на рынке\n",
  );
  for (const kind of ["channels", "posts"]) {
    const child = machine.spawn(["import", kind, `${kind}.csv`], { program });
    expect([await child.exited, await child.stderr.text()]).toEqual([0, expect.anything()]);
  }
  const found = async (path: string) => {
    const answer = await (await server.get(`/v1/msgr/posts/search/${path}`, key)).json();
    return answer as { matches: number; posts: number; note: string | null };
  };
  const doctor = machine.spawn(["doctor", "--json"], { program });
  const { results } = JSON.parse(await doctor.stdout.text()) as { results: Finding[] };
  expect(await doctor.exited).toBe(1);
  expect(results.find(({ check }) => check === "dictionary")).toEqual({
    ...{ check: "dictionary", state: "wrong" },
    found: expect.stringContaining("it cannot be read: "),
    advice: expect.stringContaining("install the program again"),
  });
  const environment = { KANALOG_LOG_LEVEL: "error" };
  let server = await machine.serve(["serve"], { program, environment });
  await until(() => server.printed().includes("the dictionary of post search cannot be read"));
  const note = expect.stringContaining("Words were matched by their stems alone");
  expect(await found("?q=рынок")).toMatchObject({ matches: 1, note });
  expect(await found("stats/?q=рынок&from=2026-11-01&to=2026-11-28")).toMatchObject({
    ...{ posts: 1, note },
  });
  expect(await server.stop()).toBe(0);
  // With its dictionary, the program builds the index anew, which says nothing of stems then.
  cpSync(join(ROOT, "data/dictionary/lemmas.bin"), dictionary);
  expect(await machine.spawn(["search", "rebuild"], { program }).exited).toBe(0);
  server = await machine.serve(["serve"], { program });
  const whole = await found("?q=рынок");
  expect([whole.matches, whole.note]).toEqual([2, null]);
  expect(await server.stop()).toBe(0);
});
