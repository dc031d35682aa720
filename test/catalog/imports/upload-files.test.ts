import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createUploadFiles } from "../../../src/catalog/imports/runs/upload-files.ts";
import { fakePorts } from "../../support/fake-ports.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-uploads-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("rejected rows are kept of the ten latest runs", () => {
  const files = createUploadFiles(join(folder, "kanalog.db"), fakePorts());
  for (let run = 1; run <= 12; run += 1) writeFileSync(files.rejectsPath(run), "");
  files.removeRejects(12);
  expect(readdirSync(folder)).toHaveLength(10);
  expect(readdirSync(folder)).not.toContain("kanalog.db.rejects-2");
});

test("a folder that cannot be read does not stop an import that has started", () => {
  writeFileSync(join(folder, "a file"), "");
  for (const unreadable of ["a file", "no such folder"]) {
    const files = createUploadFiles(join(folder, unreadable, "kanalog.db"), fakePorts());
    expect(() => files.removeRejects(1), unreadable).not.toThrow();
    expect(() => files.removeLeftovers(), unreadable).not.toThrow();
  }
});
