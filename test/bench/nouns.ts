/**
 * How well post search finds the nouns of given posts: `bun test/bench/nouns.ts [--least N] [--most N] [FILES]`, by
 * default over the sample. The truth are the paradigms of OpenCorpora (the package az): a post has a noun if it
 * contains a form of it. Prints recall and precision by quantile and the twenty worst, for Snowball's stems, as the
 * search had them, and for the dictionary's lemmas.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import az from "az";
import { stemOf, stemsFor } from "../../src/catalog/post-search/stems.ts";
import { tokensOf } from "../../src/catalog/post-search/tokens.ts";
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

await new Promise<void>((resolve, reject) => {
  az.Morph.init(join(ROOT, "node_modules/az/dicts"), (error) =>
    error ? reject(error) : resolve(),
  );
});
const postsOfForms = readForms();
const postsOfNouns = nounsOf(postsOfForms);
evaluate("Snowball", stemAlone, (noun) => [stemAlone(noun)]);
evaluate("dictionary", stemOf, stemsFor);

function stemAlone(form: string): string {
  return form.length <= 2 ? form : russianStem(form) || form;
}

function add(posts: Map<string, Set<number>>, key: string, more: Iterable<number>): void {
  const of = posts.get(key) ?? new Set();
  for (const post of more) of.add(post);
  posts.set(key, of);
}

function readForms(): Map<string, Set<number>> {
  const posts = new Map<string, Set<number>>();
  const lines = files.flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
  for (const [post, line] of lines.entries()) {
    const { text } = JSON.parse(line) as { text?: string };
    for (const { kind, form } of tokensOf(text ?? "")) {
      if (kind === "word" && /^[а-я]{2,}$/.test(form)) add(posts, form, [post]);
    }
  }
  console.log(`${lines.length} posts, ${posts.size} forms`);
  return posts;
}

/** Nouns that are the likeliest reading of some form, with the posts that have any of their forms. */
function nounsOf(forms: Map<string, Set<number>>): Map<string, Set<number>> {
  const likely = new Set<string>();
  const posts = new Map<string, Set<number>>();
  for (const [form, of] of forms) {
    for (const [at, parse] of az.Morph(form).entries()) {
      const { tag } = parse;
      if (tag.POS !== "NOUN" || tag.Abbr || String(parse.parser) !== "Dictionary") continue;
      const noun = String(parse.normalize().word).toLowerCase().replaceAll("ё", "е");
      if (at === 0) likely.add(noun);
      add(posts, noun, of);
    }
  }
  const [least, most] = [Number(values.least), Number(values.most)];
  return new Map(
    [...posts].filter(
      ([noun, { size }]) => likely.has(noun) && noun.length > 2 && size >= least && size <= most,
    ),
  );
}

/** @param own the token of a form @param searched tokens that a search for a noun finds */
function evaluate(
  name: string,
  own: (form: string) => string,
  searched: (noun: string) => readonly string[],
): void {
  const postsOfTokens = new Map<string, Set<number>>();
  for (const [form, posts] of postsOfForms) add(postsOfTokens, own(form), posts);
  const rows = [...postsOfNouns].map(([noun, posts]) => {
    const found = new Set(searched(noun).flatMap((token) => [...(postsOfTokens.get(token) ?? [])]));
    const right = posts.intersection(found).size;
    const precision = found.size === 0 ? 1 : right / found.size;
    return { noun, posts: posts.size, recall: right / posts.size, precision };
  });
  console.log(`\n${name}: ${rows.length} nouns`);
  for (const measure of ["recall", "precision"] as const) {
    const sorted = rows.toSorted((one, other) => one[measure] - other[measure]);
    const parts = sorted.map((row) => row[measure]);
    const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
    const quantiles = QUANTILES.map((at) => parts[Math.floor(at * parts.length)]?.toFixed(2));
    const low = parts.filter((part) => part < LOW).length;
    console.log(
      `${measure}: mean ${mean.toFixed(3)}, below ${LOW}: ${low}, at ${QUANTILES.join(", ")}: ${quantiles.join(", ")}`,
    );
    const worst = sorted.slice(0, SHOWN);
    console.log(
      worst.map((row) => `${row.noun} ${row[measure].toFixed(2)} (${row.posts})`).join(", "),
    );
  }
}
