import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { engines } from "../../package.json";
import { buildExecutable, hostPlatform, PLATFORM_NAMES, type PlatformName } from "./executable.ts";

/** `bun run build [PLATFORM …]`: writes the executables, by default only this machine's. */
const USAGE = `Usage: bun run build [PLATFORM …] [--all] [--outdir FOLDER]
Platforms: ${PLATFORM_NAMES.join(", ")}; by default this machine's.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { all: { type: "boolean" }, outdir: { type: "string", default: "dist" } },
  });
  if (Bun.version !== engines.bun)
    throw new Error(`Bun ${engines.bun} builds it, not ${Bun.version}.`);
  for (const name of values.all === true ? PLATFORM_NAMES : chosen(positionals)) {
    const path = await buildExecutable(name, values.outdir);
    console.log(`${path}, ${Math.round(statSync(path).size / 1e6)} MB`);
  }
} catch (error) {
  const causes = error instanceof AggregateError ? error.errors : [];
  console.error([...causes, error instanceof Error ? error.message : error].join("\n"));
  process.exitCode = 1;
}

/** The named platforms, or this machine's. @throws Error with the usage for an unknown name */
function chosen(names: readonly string[]): PlatformName[] {
  const host = hostPlatform();
  if (names.length === 0 && host !== null) return [host];
  const known = PLATFORM_NAMES.filter((name) => names.includes(name));
  if (known.length === 0 || known.length < names.length) throw new Error(USAGE);
  return known;
}
