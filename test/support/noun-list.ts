import { readFileSync } from "node:fs";
import { join } from "node:path";
import az from "az";
import { tokensOf } from "../../src/catalog/post-search/tokens.ts";

/**
 * The nouns of posts, and which posts have them by the paradigms of OpenCorpora (the package az): the measure of
 * how well a way to reduce words finds them.
 */

const DICTIONARY = join(import.meta.dir, "../../node_modules/az/dicts");

type Posts = Map<string, Set<number>>;

export interface NounList {
  /** Numbers of posts by the forms in them, and by the nouns of which they have a form. */
  forms: Posts;
  nouns: Posts;
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
    ([noun, { size }]) => noun.length > 2 && size >= least && size <= most,
  );
  return { forms, nouns: new Map(nouns) };
}

function add(posts: Posts, key: string, more: Iterable<number>): void {
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

/** Nouns that are the likeliest reading of some form. */
function nounsOf(forms: Posts): Posts {
  const likely = new Set<string>();
  const posts: Posts = new Map();
  for (const [form, of] of forms) {
    for (const [at, parse] of az.Morph(form).entries()) {
      const { tag } = parse;
      if (tag.POS !== "NOUN" || tag.Abbr || String(parse.parser) !== "Dictionary") continue;
      const noun = String(parse.normalize().word).toLowerCase().replaceAll("ё", "е");
      if (at === 0) likely.add(noun);
      add(posts, noun, of);
    }
  }
  return new Map([...posts].filter(([noun]) => likely.has(noun)));
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
  return [...list.nouns].map(([noun, posts]) => {
    const found = find(noun);
    const right = posts.intersection(found).size;
    const precision = found.size === 0 ? 1 : right / found.size;
    return { noun, posts: posts.size, recall: right / posts.size, precision };
  });
}

export const meanOf = (rows: readonly NounRow[], measure: "recall" | "precision"): number =>
  rows.reduce((sum, row) => sum + row[measure], 0) / rows.length;
