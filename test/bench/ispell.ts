/**
 * Queries of two nouns in Kanalog, and in PostgreSQL with its Snowball configuration and with its `ispell` template
 * over the same dictionary: `bun test/bench/ispell.ts [--least N] [--pairs N] [FILES]`, by default over the sample.
 * A post should be found if it has both by the rules of the bench of nouns. Prints recall and precision.
 * Does nothing without npm's PostgreSQL.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { stemOf, stemsFor } from "../../src/catalog/post-search/stems.ts";
import { foundPosts, type NounList, qualityOf, readNouns } from "../support/noun-list.ts";
import { startPostgres } from "../support/postgres.ts";
import { hasNpmPostgres } from "../support/postgres-programs.ts";
import { seededRandom } from "./peers/data/random.ts";
import { ROOT } from "./peers/processes.ts";

const SEED = 42;
/** A pair of fewer posts says little. */
const PAIR_POSTS_MIN = 3;
const LOW = 0.75;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { least: { type: "string", default: "20" }, pairs: { type: "string", default: "2000" } },
});
const files = positionals.length > 0 ? positionals : [join(ROOT, "data/sample/posts.ndjson")];

if (hasNpmPostgres) await compare();
else console.log("Skipped: npm's PostgreSQL is not installed.");

/** Pairs of nouns, named by both with a space between them. */
type Pairs = NounList["nouns"];

async function compare(): Promise<void> {
  const list = await readNouns(files, Number(values.least), 6_000);
  const { pick } = seededRandom(SEED);
  const nouns = [...list.nouns.keys()].sort();
  const pairs: Pairs = new Map();
  for (let tried = 0; pairs.size < Number(values.pairs) && tried < 1_000_000; tried += 1) {
    const [one, other] = [pick(nouns), pick(nouns)];
    const [first, second] = [list.nouns.get(one), list.nouns.get(other)];
    if (one === other || first === undefined || second === undefined) continue;
    const posts = first.posts.intersection(second.posts);
    const possible = first.possible.intersection(second.possible);
    if (posts.size >= PAIR_POSTS_MIN) pairs.set(`${one} ${other}`, { posts, possible });
  }
  const found = foundPosts(list, stemOf, stemsFor);
  report("Kanalog", pairs, (one, other) => found(one).intersection(found(other)));
  const server = await startPostgres({ isFlushed: false });
  const client = new pg.Client({ connectionString: server.url });
  try {
    writeDictionary(join(dirname(server.data), "programs/share/postgresql/tsearch_data"));
    await client.connect();
    await client.query(`
      CREATE TEXT SEARCH DICTIONARY hunspell
        (TEMPLATE = ispell, DictFile = kanalog_ru, AffFile = kanalog_ru, StopWords = russian);
      CREATE TEXT SEARCH CONFIGURATION hunspell (COPY = russian);
      ALTER TEXT SEARCH CONFIGURATION hunspell ALTER MAPPING FOR word, hword, hword_part
        WITH hunspell, russian_stem;
      CREATE TABLE posts (id integer, text text)`);
    await client.query("INSERT INTO posts SELECT * FROM unnest($1::integer[], $2::text[])", [
      [...texts().keys()],
      texts(),
    ]);
    for (const configuration of ["russian", "hunspell"]) {
      await client.query(`CREATE TABLE ${configuration} AS
        SELECT id, to_tsvector('${configuration}', text) AS words FROM posts`);
      const { rows } = await client.query<{ pair: string; ids: number[] }>(
        `SELECT pair, ARRAY(SELECT id FROM ${configuration}
           WHERE words @@ plainto_tsquery('${configuration}', pair)) AS ids
         FROM unnest($1::text[]) pair`,
        [[...pairs.keys()]],
      );
      const ids = new Map(rows.map((row) => [row.pair, new Set(row.ids)]));
      const name = configuration === "russian" ? "PostgreSQL, Snowball" : "PostgreSQL, ispell";
      report(name, pairs, (one, other) => ids.get(`${one} ${other}`) ?? new Set());
    }
  } finally {
    await client.end();
    await server.stop();
  }
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll("ё", "е");
}

function texts(): string[] {
  const lines = files.flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
  return lines.map((line) => fold((JSON.parse(line) as { text?: string }).text ?? ""));
}

/** The dictionary that Kanalog's is compiled from, folded in the same way. */
function writeDictionary(folder: string): void {
  const read = (name: string) =>
    readFileSync(join(ROOT, "node_modules/dictionary-ru", name), "utf8");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "kanalog_ru.affix"), read("index.aff").replaceAll("ё", "е"));
  const words = read("index.dic").split("\n").slice(1);
  const folded = words.map((line) => {
    const [word = "", flags] = line.split("/");
    return flags === undefined ? fold(word) : `${fold(word)}/${flags}`;
  });
  writeFileSync(join(folder, "kanalog_ru.dict"), folded.join("\n"));
}

function report(
  name: string,
  pairs: Pairs,
  find: (one: string, other: string) => Set<number>,
): void {
  const rows = [...pairs].map(([pair, of]) => {
    const [one = "", other = ""] = pair.split(" ");
    return qualityOf(of, find(one, other));
  });
  const figures = (["recall", "precision"] as const).map((measure) => {
    const mean = rows.reduce((sum, row) => sum + row[measure], 0) / rows.length;
    return `${measure} ${mean.toFixed(3)}, below ${LOW}: ${rows.filter((row) => row[measure] < LOW).length}`;
  });
  console.log(`${name.padEnd(22)} ${figures.join("; ")} (of ${rows.length} pairs)`);
}
