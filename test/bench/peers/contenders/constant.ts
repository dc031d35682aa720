import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer } from "../processes.ts";

const SERVER = join(import.meta.dir, "constant-server.ts");

/**
 * What HTTP costs: bare Elysia with constant answers, passed in a file in the folder.
 * @param answers by work, each returned at `/WORK/NTH`
 */
export function startConstants(
  folder: string,
  answers: readonly (readonly string[])[],
): Promise<Server> {
  const file = join(folder, "constants.json");
  writeFileSync(file, JSON.stringify(answers));
  return startServer((port) => [process.execPath, SERVER, file, String(port)], "/ready");
}
