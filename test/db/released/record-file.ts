import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { createMachine } from "../../support/machine.ts";
import { until } from "../../support/until.ts";

// `bun test/db/released/record-file.ts`, before a version is released: keeps a small file of it, which every
// later version must open (released.test.ts).

/** Writes a file as this version leaves it, with the sample, its keys and another organization, compressed. */
export async function recordFile(folder: string): Promise<string> {
  const machine = createMachine();
  try {
    const server = await machine.serve(["start"]);
    await until(() => server.printed().includes("curl"));
    await server.stop();
    const made = [
      "org",
      "create",
      "--name",
      "Acme",
      "--plan",
      "growth",
      "--owner",
      "ada@example.com",
    ];
    await machine.json(made);
    await machine.json(["backup", machine.path("copy.db")]);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${version}.db.gz`);
    writeFileSync(
      path,
      Bun.gzipSync(await Bun.file(machine.path("copy.db")).bytes(), { level: 9 }),
    );
    return path;
  } finally {
    await machine.leave();
  }
}

if (import.meta.main) console.log(await recordFile(import.meta.dir));
