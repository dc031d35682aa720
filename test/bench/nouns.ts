/**
 * How well post search finds the nouns of given posts: `bun test/bench/nouns.ts [--least N] [--most N] [FILES]`, by
 * default over the sample. A post has a noun if it contains a form of it by the paradigms of OpenCorpora;
 * test/support/noun-list.ts says what forms of several words count for. Prints recall and precision by quantile
 * and the twenty worst, for Snowball's stems alone and for the dictionary's lemmas.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import { stemOf, stemsFor } from "../../src/catalog/post-search/stems.ts";
import { meanOf, measureNouns, type NounRow, readNouns } from "../support/noun-list.ts";
import { ROOT } from "./peers/processes.ts";

const QUANTILES = [0, 0.01, 0.05, 0.1, 0.25, 0.5];
const SHOWN = 20;
const LOW = 0.75;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    least: { type: "string", default: "100" },
    most: { type: "string", default: "6000" },
  },
});
const files = positionals.length > 0 ? positionals : [join(ROOT, "data/sample/posts.ndjson")];
const list = await readNouns(files, Number(values.least), Number(values.most));
const stemAlone = (form: string): string => (form.length <= 2 ? form : russianStem(form) || form);
report(
  "Snowball",
  measureNouns(list, stemAlone, (noun) => [stemAlone(noun)]),
);
report("dictionary", measureNouns(list, stemOf, stemsFor));

function report(name: string, rows: readonly NounRow[]): void {
  console.log(`\n${name}: ${rows.length} nouns`);
  for (const measure of ["recall", "precision"] as const) {
    const sorted = rows.toSorted((one, other) => one[measure] - other[measure]);
    const parts = sorted.map((row) => row[measure]);
    const quantiles = QUANTILES.map((at) => parts[Math.floor(at * parts.length)]?.toFixed(2));
    const low = parts.filter((part) => part < LOW).length;
    const mean = meanOf(rows, measure).toFixed(3);
    console.log(
      `${measure}: mean ${mean}, below ${LOW}: ${low}, at ${QUANTILES.join(", ")}: ${quantiles.join(", ")}`,
    );
    const worst = sorted.slice(0, SHOWN);
    console.log(
      worst.map((row) => `${row.noun} ${row[measure].toFixed(2)} (${row.posts})`).join(", "),
    );
  }
}
