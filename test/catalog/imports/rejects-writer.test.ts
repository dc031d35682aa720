import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRejectsWriter } from "../../../src/catalog/imports/writing/write-rows.ts";
import { message } from "../../../src/values/messages/messages.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rejected = (line: number, title: string) => ({
  ...{ line, column: "id", fault: message("notInteger"), fields: { id: "x", title } },
});

test("the file of rejected rows ends with the first row that would exceed its size", () => {
  const path = join(folder, "rejects.ndjson");
  const writer = createRejectsWriter(() => openSync(path, "w"), 1_000);
  for (const [at, title] of ["A", "B", "x".repeat(1_000), "C"].entries()) {
    writer.add(rejected(at + 1, title));
  }
  writer.close();
  expect(writer.kept()).toBe(2);
  const rows = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(rows.map((row) => JSON.parse(row).fields.title)).toEqual(["A", "B"]);
});

test("without rejected rows no file is created", () => {
  createRejectsWriter(() => openSync(join(folder, "rejects.ndjson"), "w"), 1_000).close();
  expect(readdirSync(folder)).toEqual([]);
});
