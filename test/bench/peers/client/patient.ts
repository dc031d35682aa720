/**
 * One client in a separate process, so that garbage collection of the bench does not delay it.
 * `bun patient.ts FILE PASSES` requests all paths of the target in FILE, PASSES times, and prints the durations in
 * milliseconds as JSON, a list for each pass.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../processes.ts";
import type { Target } from "./load.ts";
import { askEach } from "./sequential.ts";

/** @throws Error if an answer is an error */
export async function askPatiently(target: Target, passes: number): Promise<number[][]> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-bench-"));
  try {
    const file = join(folder, "target.json");
    writeFileSync(file, JSON.stringify(target));
    const printed = await run([process.execPath, import.meta.path, file, String(passes)]);
    return JSON.parse(printed) as number[][];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const [file = "", passes = "1"] = process.argv.slice(2);
  const target = JSON.parse(readFileSync(file, "utf8")) as Target;
  const durations: number[][] = [];
  while (durations.length < Number(passes)) durations.push(await askEach(target));
  process.stdout.write(JSON.stringify(durations));
}
