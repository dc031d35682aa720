import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import manifest from "../../package.json";
import { PLATFORMS } from "./executable.ts";
import { ROOT } from "./pinned-bun.ts";
import { programBuild } from "./program.ts";

// `bun run pack [FOLDER]`: writes the npm package. The program is bundled, with the database driver for every
// platform, so that an installation adds nothing but the pinned Bun, and compiles nothing.

const folder = resolve(process.argv[2] ?? "dist");
const content = join(folder, "npm");
rmSync(content, { recursive: true, force: true });

const program = await Bun.build({
  ...(await programBuild()),
  outdir: join(content, "program"),
  // The driver looks for its addon in `../prebuilds` of its own path: beside the program.
  define: { __dirname: "Bun.main" },
});
const nameOf = ({ path }: { path: string }): string => path.slice(join(content, "program/").length);
const assets = program.outputs.filter(({ kind }) => kind === "asset").map(nameOf);
// Bun leaves a file's path relative to the working directory, and a thread's as it is in the sources.
for (const output of program.outputs.filter(({ kind }) => kind !== "asset")) {
  const text = await output.text();
  writeFileSync(
    output.path,
    text
      .replace(/"\.\/([^"/]+)"/g, (quoted, name) =>
        assets.includes(name) ? `(import.meta.dir+"/${name}")` : quoted,
      )
      .replaceAll('"./thread.ts"', '"./thread.js"'),
  );
}
for (const { addon } of Object.values(PLATFORMS)) {
  cpSync(
    join(ROOT, `node_modules/better-sqlite3/prebuilds/${addon}.node`),
    join(content, `program/prebuilds/${addon}.node`),
  );
}

await Bun.build({
  entrypoints: [join(import.meta.dir, "launcher.ts")],
  outdir: content,
  naming: "kanalog.mjs",
  target: "node",
  banner: "#!/usr/bin/env node",
});

// The README is shown by the registry; what it links to comes with it.
const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const linked = [...readme.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path);
for (const path of ["README.md", ...linked]) {
  mkdirSync(dirname(join(content, path)), { recursive: true });
  cpSync(join(ROOT, path), join(content, path));
}

const { name, version, description, license, dependencies } = manifest;
const runtimes = Object.values(PLATFORMS).map(({ runtime }) => [runtime, dependencies.bun]);
writeFileSync(
  join(content, "package.json"),
  JSON.stringify(
    {
      ...{ name, version, description, license, type: "module" },
      bin: { kanalog: "kanalog.mjs" },
      engines: { node: ">=20" },
      optionalDependencies: Object.fromEntries(runtimes),
    },
    null,
    2,
  ),
);
const packed = Bun.spawnSync([process.execPath, "pm", "pack", "--quiet", "--destination", folder], {
  cwd: content,
  stderr: "inherit",
});
if (!packed.success) process.exit(1);
const path = join(folder, `${name}-${version}.tgz`);
console.log(`${path}, ${(Bun.file(path).size / 1e6).toFixed(1)} MB`);
