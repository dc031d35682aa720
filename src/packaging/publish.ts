import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { name, version } from "../../package.json";
import { ROOT } from "./pinned-bun.ts";

// `bun run publish [--dry-run]`: publishes what `bun run release` wrote: the package at npm, the image for two
// architectures (IMAGE names it), and the files with their notes at GitHub. The dry run prints the commands.

const folder = join(ROOT, "dist/release");
const tarball = join(folder, `${name}-${version}.tgz`);
const image = process.env["IMAGE"] ?? name;
const tags = [version, "latest"].flatMap((tag) => ["--tag", `${image}:${tag}`]);
const files = readdirSync(folder).map((file) => join(folder, file));
const commands = [
  ["npm", "publish", tarball, "--access", "public"],
  [
    ...["docker", "buildx", "build", "--platform", "linux/amd64,linux/arm64", ...tags],
    ...["--file", "src/packaging/Dockerfile", "--push", "."],
  ],
  ["gh", "release", "create", `v${version}`, "--title", version, "--notes", notes(), ...files],
];
for (const command of commands) {
  if (process.argv.includes("--dry-run")) console.log(command.join(" "));
  else if (
    Bun.spawnSync(command, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] }).exitCode !== 0
  )
    process.exit(1);
}

/** This version's part of the change log. @throws Error if there is none */
function notes(): string {
  const changes = readFileSync(join(ROOT, ".github/CHANGELOG.md"), "utf8").split(/^## /m);
  const part = changes.find(
    (text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`),
  );
  if (part === undefined) throw new Error(`.github/CHANGELOG.md says nothing of ${version}.`);
  return part.slice(part.indexOf("\n")).trim();
}
