import * as fs from "node:fs";
import { basename, join, resolve } from "node:path";
import { version } from "../../package.json";
import { BILL, LICENCES } from "./bill-of-materials.ts";
import { buildExecutable, PLATFORM_NAMES } from "./executable.ts";
import { writePackage } from "./pack.ts";

// `bun run release [FOLDER]`: writes all files of a release: the npm package, the executables by version and
// platform, what is inside, and the checksums of all, by which `kanalog upgrade` finds what is newer.

const folder = resolve(process.argv[2] ?? "dist/release");
fs.rmSync(folder, { recursive: true, force: true });
await writePackage(folder);
for (const name of [BILL, LICENCES]) fs.cpSync(join(folder, "npm", name), join(folder, name));
fs.rmSync(join(folder, "npm"), { recursive: true });
for (const name of PLATFORM_NAMES) {
  const path = await buildExecutable(name, folder);
  fs.renameSync(path, join(folder, basename(path).replace("kanalog-", `kanalog-${version}-`)));
}
const sums = fs
  .readdirSync(folder)
  .toSorted()
  .map((name) => {
    const path = join(folder, name);
    console.log(`${path}, ${(fs.statSync(path).size / 1e6).toFixed(1)} MB`);
    return `${Bun.SHA256.hash(fs.readFileSync(path), "hex")}  ${name}\n`;
  });
fs.writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
