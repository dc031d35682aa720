import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platformName } from "../ports/system.ts";
import { ROOT } from "./pinned-bun.ts";
import { programBuild } from "./program.ts";

/** What one platform's executable is made of. */
interface Platform {
  /** Bun's name of the platform as a compile target. */
  target: Bun.Build.CompileTarget;
  /** The npm package that contains Bun for it. */
  runtime: string;
  /** Path of Bun inside that package. */
  binary: string;
  /** The database driver's addon for it, as better-sqlite3 names it. */
  addon: string;
  os: string;
  cpu: string;
  /** Linux's C library; null elsewhere. */
  libc: "glibc" | "musl" | null;
}

function platform(os: string, cpu: string, libc: Platform["libc"] = null): Platform {
  const [osOfBun, binary] = os === "win32" ? ["windows", "bun.exe"] : [os, "bun"];
  const ending = libc === "musl" ? "-musl" : "";
  const runtime = `@oven/bun-${osOfBun}-${cpu === "arm64" ? "aarch64" : cpu}${ending}`;
  const target = `bun-${osOfBun}-${cpu}${ending}` as Bun.Build.CompileTarget;
  const addon = `${os}${libc === "musl" ? "musl" : ""}-${cpu}`;
  return { target, runtime, binary, addon, os, cpu, libc };
}

/** Platforms for which both a prebuilt addon and a Bun package exist. */
export const PLATFORMS = {
  "linux-x64": platform("linux", "x64", "glibc"),
  "linux-arm64": platform("linux", "arm64", "glibc"),
  "linux-x64-musl": platform("linux", "x64", "musl"),
  "linux-arm64-musl": platform("linux", "arm64", "musl"),
  "darwin-x64": platform("darwin", "x64"),
  "darwin-arm64": platform("darwin", "arm64"),
  "windows-x64": platform("win32", "x64"),
};

export type PlatformName = keyof typeof PLATFORMS;
export const PLATFORM_NAMES = Object.keys(PLATFORMS) as PlatformName[];

/** This machine's platform; null if no executable can be built for it. */
export function hostPlatform(): PlatformName | null {
  return PLATFORM_NAMES.find((name) => name === platformName()) ?? null;
}

/**
 * Builds `kanalog-<platform>` with everything the program reads inside: its code and its threads', the
 * driver's addon, the shipped data and the served files. Builds are reproducible: the same sources give the
 * same bytes in any folder.
 * @param folder output folder
 * @returns path of the executable
 * @throws Error if the build fails
 */
export async function buildExecutable(name: PlatformName, folder: string): Promise<string> {
  const { target, addon, os } = PLATFORMS[name];
  const fileName = `kanalog-${name}${os === "win32" ? ".exe" : ""}`;
  const work = mkdtempSync(join(tmpdir(), "kanalog-build-"));
  try {
    const common = await programBuild();
    const built = await Bun.build({
      ...common,
      compile: {
        target,
        outfile: join(work, fileName),
        ...(name !== hostPlatform() && { executablePath: fetchRuntime(name, work) }),
        // Files in the working directory change nothing: only the documented settings do.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
      // Precompiled, which halves the start-up time.
      bytecode: true,
      // Makes logged stack traces name files and lines.
      sourcemap: "inline",
      // pino would embed this folder's path for worker threads that are never started.
      define: { __dirname: '""' },
      plugins: [...common.plugins, addonOf(addon)],
    });
    if (!built.success) throw new AggregateError(built.logs, `${fileName} could not be built`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, fileName);
    // Renamed into place once complete, because the previous executable may be running.
    cpSync(join(work, fileName), `${path}.new`);
    renameSync(`${path}.new`, path);
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Embeds the platform's addon: on its own the driver would search the installed packages for it at run
 * time.
 */
function addonOf(addon: string): Bun.BunPlugin {
  return {
    name: "addon",
    setup(build) {
      build.onResolve({ filter: /^better-sqlite3$/ }, () => ({
        path: Bun.resolveSync(`better-sqlite3/${addon}`, ROOT),
      }));
    },
  };
}

/**
 * Another platform's Bun as the lock file pins it, downloaded from the package registry and verified by its
 * digest.
 */
function fetchRuntime(name: PlatformName, work: string): string {
  const { runtime, binary, os, cpu, libc } = PLATFORMS[name];
  const folder = join(work, "runtime");
  for (const file of ["package.json", "bun.lock", "bunfig.toml", ".npmrc"]) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  const { success, stderr } = Bun.spawnSync(
    [process.execPath, "install", "--frozen-lockfile", "--production", "--ignore-scripts"].concat(
      ...["--silent", "--os", os, "--cpu", cpu],
      ...(libc === null ? [] : ["--libc", libc]),
    ),
    { cwd: folder, stdout: "ignore", stderr: "pipe" },
  );
  if (!success)
    throw new Error(`Bun for ${name} could not be fetched: ${stderr.toString().trim()}`);
  return join(folder, "node_modules", runtime, "bin", binary);
}
