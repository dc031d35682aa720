import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import manifest from "../../package.json";
import { writeBill } from "./bill-of-materials.ts";
import { PLATFORMS } from "./executable.ts";
import { ROOT } from "./pinned-bun.ts";
import { programBuild } from "./program.ts";

/**
 * Writes the npm package. The program is bundled, with the database driver for every platform, so that an
 * installation adds nothing but the pinned Bun, and compiles nothing.
 * @param folder gets the tarball, and its content in `npm`
 * @returns path of the tarball
 */
export async function writePackage(folder: string): Promise<string> {
  const content = join(folder, "npm");
  rmSync(content, { recursive: true, force: true });
  await bundleProgram(content);
  await Bun.build({
    entrypoints: [join(import.meta.dir, "launcher.ts")],
    outdir: content,
    naming: "kanalog.mjs",
    target: "node",
    banner: "#!/usr/bin/env node",
  });
  copyDocuments(content);
  const { name, version, description, license, dependencies } = manifest;
  const runtimes = Object.values(PLATFORMS).map(({ runtime }) => [runtime, dependencies.bun]);
  const packed = {
    ...{ name, version, description, license, type: "module" },
    bin: { kanalog: "kanalog.mjs" },
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(runtimes),
  };
  writeFileSync(join(content, "package.json"), JSON.stringify(packed, null, 2));
  const { success, stderr } = Bun.spawnSync(
    [process.execPath, "pm", "pack", "--quiet", "--destination", folder],
    { cwd: content },
  );
  if (!success) throw new Error(`The package could not be written: ${stderr}`);
  return join(folder, `${name}-${version}.tgz`);
}

/** Bundles the program, and writes what is inside beside it. */
async function bundleProgram(content: string): Promise<void> {
  const built = await Bun.build({
    ...(await programBuild()),
    outdir: join(content, "program"),
    metafile: true,
    // The driver looks for its addon in `../prebuilds` of its own path: beside the program.
    define: { __dirname: "Bun.main" },
  });
  const assets = built.outputs
    .filter(({ kind }) => kind === "asset")
    .map(({ path }) => basename(path));
  // Bun leaves a file's path relative to the working directory, and a thread's as it is in the sources.
  for (const output of built.outputs.filter(({ kind }) => kind !== "asset")) {
    const text = (await output.text())
      .replace(/"\.\/([^"/]+)"/g, (quoted, name) =>
        assets.includes(name) ? `(import.meta.dir+"/${name}")` : quoted,
      )
      .replaceAll('"./thread.ts"', '"./thread.js"');
    writeFileSync(output.path, text);
  }
  for (const { addon } of Object.values(PLATFORMS)) {
    const file = `prebuilds/${addon}.node`;
    cpSync(join(ROOT, "node_modules/better-sqlite3", file), join(content, "program", file));
  }
  if (built.metafile !== undefined) writeBill(built.metafile, content);
}

/** The README is shown by the registry; what it links to comes with it. */
function copyDocuments(content: string): void {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const linked = [...readme.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path);
  for (const path of ["README.md", ...linked]) {
    mkdirSync(dirname(join(content, path)), { recursive: true });
    cpSync(join(ROOT, path), join(content, path));
  }
}

// `bun run pack [FOLDER]`
if (import.meta.main) {
  const path = await writePackage(resolve(process.argv[2] ?? "dist"));
  console.log(`${path}, ${(Bun.file(path).size / 1e6).toFixed(1)} MB`);
}
