import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/db/open-database.ts";
import { AppError } from "../../src/errors.ts";
import { systemClock } from "../../src/ports/clock.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-open-"));
  path = join(folder, "a.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Number of times this process has the file open. */
function timesOpen(): number {
  const descriptors = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      // The descriptor of this very listing.
      return "";
    }
  });
  return descriptors.filter((target) => target === path).length;
}

test.skipIf(process.platform !== "linux")("a file that cannot be used is closed again", () => {
  writeFileSync(path, "this is a text, and has been one for a long time\n".repeat(50));
  for (const access of ["writer", "reader"] as const) {
    expect(() => openDatabase(path, systemClock, access)).toThrow(AppError);
  }
  expect(timesOpen()).toBe(0);
});

test("a reader of a file that is gone is refused, and leaves no empty file in its place", () => {
  expect(() => openDatabase(path, systemClock, "reader")).toThrow(path);
  expect(existsSync(path)).toBe(false);
});
