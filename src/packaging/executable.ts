import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bridgeProgram } from "../doors/mcp/bundle/bridge-program.ts";

/** The parts of one platform's executable. */
interface Platform {
  /** As Bun names it to compile for it. */
  target: Bun.Build.CompileTarget;
  /** The package that holds its Bun. */
  runtime: string;
  /** Its Bun in that package. */
  binary: string;
  /** The database driver's addon for it, as better-sqlite3 names it. */
  addon: string;
  os: string;
  cpu: string;
}

function platform(os: string, cpu: string): Platform {
  const [osOfBun, binary] = os === "win32" ? ["windows", "bun.exe"] : [os, "bun"];
  const runtime = `@oven/bun-${osOfBun}-${cpu === "arm64" ? "aarch64" : cpu}`;
  const target = `bun-${osOfBun}-${cpu}` as Bun.Build.CompileTarget;
  return { target, runtime, binary, addon: `${os}-${cpu}`, os, cpu };
}

/** Each with a prebuilt addon and a Bun in the package registry. */
const PLATFORMS = {
  "linux-x64": platform("linux", "x64"),
  "linux-arm64": platform("linux", "arm64"),
  "darwin-x64": platform("darwin", "x64"),
  "darwin-arm64": platform("darwin", "arm64"),
  "windows-x64": platform("win32", "x64"),
};

export type PlatformName = keyof typeof PLATFORMS;
export const PLATFORM_NAMES = Object.keys(PLATFORMS) as PlatformName[];

/** This machine's platform; null where no executable is made for it. */
export function hostPlatform(): PlatformName | null {
  const { platform: os, arch } = process;
  return (
    PLATFORM_NAMES.find((name) => PLATFORMS[name].os === os && PLATFORMS[name].cpu === arch) ?? null
  );
}

const ROOT = join(import.meta.dir, "../..");
const SOURCE = join(ROOT, "src");

/**
 * Makes the executable of a platform, `kanalog-<platform>`, with all that the program reads inside:
 * its code and its threads', the driver's addon, the data that ships and the files that are served.
 * The same sources make the same bytes, wherever they lie.
 * @param folder where it is put
 * @returns its path
 * @throws Error where it could not be built
 */
export async function buildExecutable(name: PlatformName, folder: string): Promise<string> {
  const { target, addon, os } = PLATFORMS[name];
  const fileName = `kanalog-${name}${os === "win32" ? ".exe" : ""}`;
  const work = mkdtempSync(join(tmpdir(), "kanalog-build-"));
  try {
    const built = await Bun.build({
      entrypoints: [join(SOURCE, "program.ts"), join(SOURCE, "app/thread.ts")],
      // Side by side, as the code of the one expects the other.
      naming: { entry: "[name].[ext]" },
      compile: {
        target,
        outfile: join(work, fileName),
        ...(name !== hostPlatform() && { executablePath: fetchRuntime(name, work) }),
        // Files in the folder it is started in change nothing: only the documented settings do.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
      // Parsed while it is built: it starts in half the time.
      bytecode: true,
      format: "esm",
      // Program and threads share code, and each would have a copy of its own otherwise.
      splitting: true,
      minify: { whitespace: true, syntax: true },
      // So that what is logged of an error names files and lines.
      sourcemap: "inline",
      // The log's library would keep this folder's path, for worker threads that nobody starts.
      define: { __dirname: '""' },
      plugins: [addonOf(addon), await bridgeText()],
    });
    if (!built.success) throw new AggregateError(built.logs, `${fileName} could not be built`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, fileName);
    // A former one may be running, and is there until this one is whole.
    cpSync(join(work, fileName), `${path}.new`);
    renameSync(`${path}.new`, path);
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** By itself the driver looks for its addon among the installed packages while it runs. */
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

/** The bridge's finished text in the place of what makes it of its sources, which are not inside. */
async function bridgeText(): Promise<Bun.BunPlugin> {
  const contents = `export const bridgeProgram = async () => ${JSON.stringify(await bridgeProgram())};`;
  return {
    name: "bridge",
    setup(build) {
      build.onLoad({ filter: /bundle.bridge-program\.ts$/ }, () => ({ contents, loader: "ts" }));
    },
  };
}

/** Another platform's Bun, by the lock file: from the package registry, its digest checked. */
function fetchRuntime(name: PlatformName, work: string): string {
  const { runtime, binary, os, cpu } = PLATFORMS[name];
  const folder = join(work, "runtime");
  for (const file of ["package.json", "bun.lock", "bunfig.toml", ".npmrc"]) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  const { success, stderr } = Bun.spawnSync(
    [process.execPath, "install", "--frozen-lockfile", "--production", "--ignore-scripts"].concat(
      ...["--silent", "--os", os, "--cpu", cpu],
    ),
    { cwd: folder, stdout: "ignore", stderr: "pipe" },
  );
  if (!success)
    throw new Error(`Bun for ${name} could not be fetched: ${stderr.toString().trim()}`);
  return join(folder, "node_modules", runtime, "bin", binary);
}
