import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import type { Explanation } from "../../../../src/catalog/search/select-catalog.ts";
import { channelsList } from "../../../../src/verbs/methods/channels.ts";
import { createMachine, type Machine } from "../../../support/machine.ts";

const EXPLAIN = ["search", "explain"];

let machine: Machine;
beforeAll(async () => {
  machine = createMachine();
  const channels = [1, 2, 3].map((id) =>
    JSON.stringify({
      id,
      title: `Наука ${id}`,
      handle: `nauka_${id}`,
      subscribers: id,
      category: "science",
    }),
  );
  machine.write("channels.ndjson", channels.join("\n"));
  await machine.run(["import", "channels", "channels.ndjson"]);
});
afterAll(() => machine.leave());

async function explain(...words: string[]): Promise<Explanation> {
  const { exitCode, out, notes } = await machine.run([...EXPLAIN, ...words, "--json"]);
  expect({ exitCode, notes }).toEqual({ exitCode: 0, notes: "" });
  return JSON.parse(out);
}

async function waysOf(...words: string[]): Promise<string[]> {
  return (await explain(...words)).steps.map(({ way }) => way);
}

test("search explain says how many channels were found, and how", async () => {
  const { exitCode, out, notes } = await machine.run([
    ...[...EXPLAIN, "НАУКА", "--ordering", "-quality", "--category", "science", "--limit", "2"],
  ]);
  expect({ exitCode, notes }).toEqual({ exitCode: 0, notes: "" });
  expect(out).toMatch(/^Found 2 channels, and there are more, in \d+\.\d ms\.\n/);
  expect(out).toMatch(/^Looked for by the search index; 3 texts were read\.$/m);
  expect(out).toMatch(/^Some 500 channels have "нау"\.$/m);
});

test("search explain accepts the catalog's filters like the API, and finds the same", async () => {
  expect(await explain("наука")).toMatchObject({ found: 3, hasMore: false });
  expect(await explain("наука 2")).toMatchObject({ found: 1 });
  expect(await explain("наука", "--kind", "chat")).toMatchObject({ found: 0 });
  expect(await explain("наука", "--category", "news")).toMatchObject({ found: 0 });
  expect(await explain("--verified", "false", "--a-plus", "no")).toMatchObject({ found: 3 });
  expect(await waysOf("наука")).toEqual(["index"]);
  expect(await waysOf("@nauka_1")).toEqual(["columns"]);
  expect(await waysOf("--subscribers-min", "0", "--ordering", "-citation")).toEqual(["columns"]);
  const help = await machine.run([...EXPLAIN, "--help"]);
  for (const name of Object.keys(channelsList.parameters)) {
    if (["q", "ids", "cursor"].includes(name)) continue;
    expect(help.out).toContain(`--${name.replaceAll("_", "-")} <value>`);
  }
});

test("search explain says that no search is needed for a link to an unknown channel", async () => {
  const { exitCode, out } = await machine.run([...EXPLAIN, "https://t.me/+abcdef"]);
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: "No search was needed: there is no channel with this link or handle.\n",
  });
});

test("wrong filters are all reported together in the API's sentences, with exit 2", async () => {
  const wrong = await machine.run([
    ...[...EXPLAIN, "на", "--category", "nothing", "--territory", "nowhere"],
  ]);
  expect(wrong).toEqual({
    exitCode: 2,
    out: "",
    notes:
      "category: Object with slug=nothing does not exist. " +
      "territory: Object with slug=nowhere does not exist. " +
      "q: Ensure this field has at least 3 characters.\n",
  });
  for (const [option, value, expected] of [
    ["--subscribers-min", "many", "subscribers_min: A valid integer is required."],
    ["--verified", "perhaps", "verified: "],
    ["--limit", "1000", "limit: "],
    ["--ordering", "quality", "Allowed choices are -subscribers"],
    ["--colour", "red", "unknown option"],
  ] as const) {
    const { exitCode, out, notes } = await machine.run([...EXPLAIN, "наука", option, value]);
    expect({ option, exitCode, out }).toEqual({ option, exitCode: 2, out: "" });
    expect(notes).toContain(expected);
  }
});

test("search explain changes nothing, and neither creates nor migrates a database", async () => {
  const before = readFileSync(machine.database);
  await explain("наука");
  expect(readFileSync(machine.database).equals(before)).toBe(true);

  const at = (name: string) => ({ environment: { KANALOG_DB: machine.path(name) } });
  const missing = await machine.run([...EXPLAIN, "наука"], at("missing.db"));
  expect(missing).toMatchObject({ exitCode: 1, out: "" });
  expect(missing.notes).toContain("There is no database");
  expect(machine.exists("missing.db")).toBe(false);

  machine.write("other.db", "no database, but a text that is long enough\n".repeat(100));
  const other = await machine.run([...EXPLAIN, "наука"], at("other.db"));
  expect(other).toMatchObject({ exitCode: 1, out: "" });
  expect(other.notes).toContain("is not a database");

  const file = new BetterSqlite3(machine.write("older.db", before));
  file.pragma("user_version = 7");
  const refused = await machine.run([...EXPLAIN, "наука"], at("older.db"));
  expect(refused).toMatchObject({ exitCode: 1, out: "" });
  expect(refused.notes).toContain(
    "has schema version 7: a program before the first release wrote it",
  );
  expect(file.pragma("user_version", { simple: true })).toBe(7);
  file.close();
});
