import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.ts";

const ADDS_COLUMN = "ALTER TABLE organizations ADD COLUMN made_up TEXT NOT NULL DEFAULT 'new'";

/**
 * Copies the program and adds a migration, by default one that adds a column to a shared table. @returns the
 * command line that starts it
 */
export function nextProgram(machine: Machine, migration: string = ADDS_COLUMN): string[] {
  const root = join(import.meta.dir, "../..");
  const next = machine.path("next");
  mkdirSync(next);
  cpSync(join(root, "src"), join(next, "src"), { recursive: true });
  cpSync(join(root, "data"), join(next, "data"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json", "bunfig.toml", "LICENSE", "README.md"]) {
    cpSync(join(root, name), join(next, name));
  }
  symlinkSync(join(root, "node_modules"), join(next, "node_modules"));
  const file = join(next, "src/db/schema-version.ts");
  const list = /(export const MIGRATIONS[^=]*= \[[^\]]*)\]/;
  const text = readFileSync(file, "utf8");
  if (!list.test(text)) throw new Error(`${file} has no list of migrations`);
  writeFileSync(file, text.replace(list, `$1  "${migration}",\n]`));
  return [process.execPath, join(next, "src/main.ts")];
}
