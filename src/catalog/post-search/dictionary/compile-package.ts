import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileDictionary } from "./compile.ts";
import { writeDictionary } from "./dictionary-file.ts";

/** `bun run dictionary`: compiles the dictionary of the package dictionary-ru into `data/dictionary`. */

const ROOT = join(import.meta.dir, "../../../..");
const read = (name: string): string =>
  readFileSync(join(ROOT, "node_modules/dictionary-ru", name), "utf8");

const compiled = compileDictionary(read("index.aff"), read("index.dic"));
await Bun.write(join(ROOT, "data/dictionary/russian.bin"), writeDictionary(compiled));
await Bun.write(join(ROOT, "data/dictionary/LICENSE"), read("license"));
