import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

// The npm package's command: runs the program on the Bun that the package depends on, on Node.js 20 or any Bun.
// It depends on Bun's packages by platform rather than on `bun`, whose install script npm warns of and may not run.

const require = createRequire(import.meta.url);

/** The pinned Bun for this machine; undefined if it was not installed. */
function installedBun(): string | undefined {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
  const packages = ["", "-musl"].map((libc) => `@oven/bun-${os}-${cpu}${libc}`);
  const file = os === "windows" ? "bin/bun.exe" : "bin/bun";
  const inPackage = packages.map((name) => found(`${name}/${file}`));
  // A project that has the same `bun` itself shares these packages, and its install script moved the program.
  const pinned = Object.values(require("./package.json").optionalDependencies);
  const moved = found("bun/package.json") && pinned.includes(require("bun/package.json").version);
  return inPackage.find(Boolean) ?? (moved ? found("bun/bin/bun.exe") : undefined);
}

function found(path: string): string | undefined {
  try {
    return require.resolve(path);
  } catch {
    return undefined;
  }
}

const bun = installedBun();
if (bun === undefined) {
  console.error(
    `Bun for ${process.platform} ${process.arch} was not installed with Kanalog. It is an optional package: install Kanalog again without --omit=optional.`,
  );
  process.exitCode = 1;
} else {
  const program = fileURLToPath(new URL("program/program.js", import.meta.url));
  const child = spawn(bun, [program, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
