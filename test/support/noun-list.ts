import { readFileSync } from "node:fs";
import { join } from "node:path";
import az, { type Parse } from "az";
import { tokensOf } from "../../src/catalog/post-search/tokens.ts";

/**
 * The nouns of posts, and which posts have them by the paradigms of OpenCorpora (the package az): the measure of
 * how well a way to reduce words finds them. Forms of several words cannot be told apart without their sentence,
 * so two rules decide what they count for:
 *
 * - A noun must be found where some form is likelier its own than any other word's: тем is of тема and not of тьма.
 * - A search for a noun may find every form of every word that its letters are a form of: простой is an adjective
 *   too.
 */

const DICTIONARY = join(import.meta.dir, "../../node_modules/az/dicts");

type Posts = Map<string, Set<number>>;

interface Noun {
  /** Numbers of posts that a search for it must find, and of all that it may find. */
  posts: Set<number>;
  possible: Set<number>;
}

export interface NounList {
  /** Numbers of posts by the forms in them. */
  forms: Posts;
  nouns: Map<string, Noun>;
}

export interface NounRow {
  noun: string;
  posts: number;
  recall: number;
  precision: number;
}

/** @param files of posts @param least posts that a noun must be in, and `most` that it may be in */
export async function readNouns(
  files: readonly string[],
  least: number,
  most: number,
): Promise<NounList> {
  await new Promise<void>((resolve, reject) => {
    az.Morph.init(DICTIONARY, (error) => (error ? reject(error) : resolve()));
  });
  const lines = files.flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
  const forms = formsOf(lines.map((line) => (JSON.parse(line) as { text?: string }).text ?? ""));
  const nouns = [...nounsOf(forms)].filter(
    ([noun, { posts }]) => noun.length > 2 && posts.size >= least && posts.size <= most,
  );
  return { forms, nouns: new Map(nouns) };
}

function add<Key>(posts: Map<Key, Set<number>>, key: Key, more: Iterable<number>): void {
  const of = posts.get(key) ?? new Set();
  for (const post of more) of.add(post);
  posts.set(key, of);
}

function formsOf(texts: readonly string[]): Posts {
  const posts: Posts = new Map();
  for (const [post, text] of texts.entries()) {
    for (const { kind, form } of tokensOf(text)) {
      if (kind === "word" && /^[а-я]{2,}$/.test(form)) add(posts, form, [post]);
    }
  }
  return posts;
}

/** A word that a form may be of. */
interface Reading {
  /** Tells apart words of the same name. */
  word: string;
  name: string;
  isNoun: boolean;
  /** How likely the form is this word's, compared with others. */
  likelihood: number;
}

function readingsOf(form: string): Reading[] {
  const parses = az
    .Morph(form)
    .filter(({ parser, stutterCnt }) => String(parser) === "Dictionary" && stutterCnt === 0);
  // The likelihood of лёт is one among forms with ё, and says nothing about лет.
  const areWritten = parses.some(({ word }) => word === form);
  const readings = new Map<string, Reading>();
  for (const parse of parses) {
    if (parse.tag.Abbr) continue;
    const name = nameOf(parse);
    const word = `${parse.paradigmIdx} ${name}`;
    const isNoun = parse.tag.POS === "NOUN";
    const reading = readings.get(word) ?? { word, name, isNoun, likelihood: 0 };
    if (!areWritten || parse.word === form) reading.likelihood += parse.score;
    readings.set(word, reading);
  }
  return [...readings.values()].sort((one, other) => other.likelihood - one.likelihood);
}

/** The first form that is none of its abbreviations: месяц and not мес. */
function nameOf(parse: Parse): string {
  let named = parse.normalize();
  for (let at = 1; named.tag.Abbr && at < parse.formCnt; at += 1) named = parse.inflect(at);
  return named.word.toLowerCase().replaceAll("ё", "е");
}

function nounsOf(forms: Posts): Map<string, Noun> {
  const likely: Posts = new Map();
  const possible: Posts = new Map();
  for (const [form, posts] of forms) {
    const readings = readingsOf(form);
    for (const { word } of readings) add(possible, word, posts);
    const [first, second] = readings;
    const isAlone = (first?.likelihood ?? 0) > (second?.likelihood ?? 0);
    if (first?.isNoun && isAlone) add(likely, first.name, posts);
  }
  return new Map(
    [...likely].map(([name, posts]) => {
      const asked = readingsOf(name).map(({ word }) => [...(possible.get(word) ?? [])]);
      return [name, { posts, possible: new Set(asked.flat()) }];
    }),
  );
}

/**
 * Finds the posts of a noun as an index would.
 * @param own the token of a form @param searched tokens that a search for a noun finds
 */
export function foundPosts(
  { forms }: Pick<NounList, "forms">,
  own: (form: string) => string,
  searched: (noun: string) => readonly string[],
): (noun: string) => Set<number> {
  const postsOfTokens: Posts = new Map();
  for (const [form, posts] of forms) add(postsOfTokens, own(form), posts);
  return (noun) =>
    new Set(searched(noun).flatMap((token) => [...(postsOfTokens.get(token) ?? [])]));
}

/** How well each noun of a list is found; parameters as of `foundPosts`. */
export function measureNouns(
  list: NounList,
  own: (form: string) => string,
  searched: (noun: string) => readonly string[],
): NounRow[] {
  const find = foundPosts(list, own, searched);
  return [...list.nouns].map(([noun, of]) => ({
    noun,
    posts: of.posts.size,
    ...qualityOf(of, find(noun)),
  }));
}

/** Parts of what must be found that is, and of what is found that may be. */
export function qualityOf({ posts, possible }: Noun, found: ReadonlySet<number>) {
  return {
    recall: posts.intersection(found).size / posts.size,
    precision: found.size === 0 ? 1 : possible.intersection(found).size / found.size,
  };
}

export const meanOf = (rows: readonly NounRow[], measure: "recall" | "precision"): number =>
  rows.reduce((sum, row) => sum + row[measure], 0) / rows.length;
