import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PINNED, ROOT } from "./pinned-bun.ts";

export const BILL = "kanalog.cdx.json";
export const LICENCES = "LICENCES.txt";

/** What a bill says of a part, as far as it is read here. */
interface Component {
  type: string;
  name: string;
  group?: string;
  version: string;
  description?: string;
  purl?: string;
  licenses?: { expression?: string; license?: { id?: string; name?: string } }[];
  evidence?: { licenses?: { license?: { text?: { content: string; encoding?: string } } }[] };
}

/** Parts that no package of the bundle is. */
const NATIVE: readonly Component[] = [
  {
    ...{ type: "platform", name: "bun", version: PINNED, purl: `pkg:npm/bun@${PINNED}` },
    description: "The runtime, and what it links: https://bun.com/docs/project/license",
    licenses: [{ expression: "MIT AND LGPL-2.0-only" }],
  },
  {
    ...{ type: "library", name: "sqlite", version: sqliteVersion() },
    licenses: [{ license: { id: "blessing" } }],
  },
];

function sqliteVersion(): string {
  const header = join(ROOT, "node_modules/better-sqlite3/deps/sqlite3/sqlite3.h");
  return /#define SQLITE_VERSION +"(.+)"/.exec(readFileSync(header, "utf8"))?.[1] ?? "";
}

/**
 * Writes what is inside, as a CycloneDX bill of materials, and the texts of all licences.
 * @param metafile of the bundle: names what is really in it
 */
export function writeBill(metafile: Bun.BuildMetafile, folder: string): void {
  const work = mkdtempSync(join(tmpdir(), "kanalog-bill-"));
  const made = join(work, BILL);
  try {
    writeFileSync(join(work, "meta.json"), JSON.stringify(metafile));
    const tool = "node_modules/@cyclonedx/cyclonedx-esbuild/bin/cyclonedx-esbuild-cli.js";
    const options = ["--gather-license-texts", "--output-reproducible", "--validate"];
    const { success, stderr } = Bun.spawnSync(
      [process.execPath, tool, ...options, "--output-file", made, join(work, "meta.json")],
      { cwd: ROOT },
    );
    if (!success) throw new Error(`The bill of materials could not be written: ${stderr}`);
    const bill = JSON.parse(readFileSync(made, "utf8")) as { components: Component[] };
    bill.components.push(...NATIVE);
    writeFileSync(join(folder, BILL), JSON.stringify(bill, null, 2));
    const dictionary = readFileSync(join(ROOT, "data/dictionary/LICENSE"), "utf8");
    const texts = [
      ...bill.components.map(licenceText),
      `The dictionary of post search\n\n${dictionary}`,
    ];
    writeFileSync(join(folder, LICENCES), texts.join("\n"));
  } finally {
    rmSync(work, { recursive: true });
  }
}

function licenceText(component: Component): string {
  const { group, name, version, licenses = [], evidence, description = "" } = component;
  const names = licenses.map(
    ({ expression, license }) => expression ?? license?.id ?? license?.name,
  );
  const texts = (evidence?.licenses ?? []).map(({ license }) =>
    Buffer.from(
      license?.text?.content ?? "",
      license?.text?.encoding === "base64" ? "base64" : "utf8",
    ).toString(),
  );
  const title = `${group === undefined ? "" : `${group}/`}${name} ${version}: ${names.join(", ")}`;
  return [title, "-".repeat(title.length), ...(texts.length > 0 ? texts : [description]), ""].join(
    "\n",
  );
}
