import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

// This module runs on any version of Bun, so it uses no recent features.

export const ROOT = join(import.meta.dir, "../..");

/** The version of Bun that the program is built for and tested with. */
export const PINNED: string = readVersion(join(ROOT, "package.json"), "packageManager");

/** Reads `1.4.4` from a field of package.json that may say `bun@1.4.4`; empty if the file is missing. */
function readVersion(path: string, field: string): string {
  if (!existsSync(path)) return "";
  return String(JSON.parse(readFileSync(path, "utf8"))[field]).replace("bun@", "");
}

/** The pinned Bun among the installed packages; null if it is not installed. */
export function installedBun(): string | null {
  const folder = join(ROOT, "node_modules/bun");
  const path = join(folder, "bin/bun.exe");
  const isPinned = readVersion(join(folder, "package.json"), "version") === PINNED;
  return isPinned && existsSync(path) ? path : null;
}

/**
 * Runs a program on the pinned Bun if the current one is another version.
 * @returns its exit code; null if this is the pinned Bun and nothing was run
 */
export async function runOnPinnedBun(
  program: string,
  args: readonly string[],
): Promise<number | null> {
  if (Bun.version === PINNED) return null;
  const bun = installedBun();
  if (bun === null) {
    const run = `npx --yes bun@${PINNED} ${args[0] === "start" ? "start" : "kanalog"}`;
    process.stderr.write(
      `Kanalog runs on Bun ${PINNED}, and this is ${Bun.version}. Run: ${run}\n`,
    );
    return 1;
  }
  const child = Bun.spawn([bun, program, ...args], { stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return child.exited;
}
