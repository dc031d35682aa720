import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createHeldUploads,
  createUploadFiles,
} from "../../../src/catalog/imports/runs/upload-files.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { DEFAULT_OPTIONS } from "../../support/stored-run.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-held-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function world() {
  const ports = fakePorts();
  const held = createHeldUploads(createUploadFiles(join(folder, "kanalog.db"), ports), ports);
  let uploads = 0;
  const hold = () => {
    uploads += 1;
    const path = join(folder, `sent-${uploads}`);
    writeFileSync(path, "id,title,subscribers\n1,A,1\n");
    const file = { name: "a.csv", path, bytes: 27 };
    return held.hold({ kind: "channels", file, options: DEFAULT_OPTIONS });
  };
  return { ports, held, hold };
}

test("an upload that nobody starts is removed after an hour, or when the process ends", async () => {
  const { ports, held, hold } = world();
  const first = await hold();
  ports.clock.advance(59 * 60_000);
  held.removeOld();
  expect(existsSync((await held.find(first)).file.path)).toBe(true);
  await hold();
  ports.clock.advance(2 * 60_000);
  held.removeOld();
  await expect(held.find(first)).rejects.toThrow("not found");
  expect(readdirSync(folder)).toHaveLength(1);
  held.removeAll();
  expect(readdirSync(folder)).toEqual([]);
});

test("the oldest upload is removed when there are more than ten", async () => {
  const { held, hold } = world();
  const first = await hold();
  for (let others = 0; others < 9; others += 1) await hold();
  expect((await held.find(first)).kind).toBe("channels");
  await hold();
  await expect(held.find(first)).rejects.toThrow("not found");
  expect(readdirSync(folder)).toHaveLength(10);
});
