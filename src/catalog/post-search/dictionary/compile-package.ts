import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileDictionary } from "./compile.ts";
import { writeDictionary } from "./dictionary-file.ts";

/** `bun run dictionary`: compiles the dictionaries of the packages dictionary-ru and -en into `data/dictionary`. */

const ROOT = join(import.meta.dir, "../../../..");
const FOLDER = join(ROOT, "data/dictionary");

function dictionary(name: string) {
  const read = (file: string): string =>
    readFileSync(join(ROOT, "node_modules", name, file), "utf8");
  return { aff: read("index.aff"), dic: read("index.dic"), license: read("license") };
}

const russian = dictionary("dictionary-ru");
const english = dictionary("dictionary-en");
await Bun.write(join(FOLDER, "lemmas.bin"), writeDictionary(compileDictionary(russian, english)));
await Bun.write(
  join(FOLDER, "LICENSE"),
  `The Russian words:\n\n${russian.license}\n\nThe English words:\n\n${english.license}`,
);
