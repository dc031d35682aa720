import { readFileSync } from "node:fs";
import { eachWithPrefix, numberOfWord } from "./automaton.ts";
import { type Dictionary, readDictionary } from "./dictionary-file.ts";

let loaded: { dictionary: Dictionary | null; fault: string | null } | undefined;

function load() {
  if (loaded !== undefined) return loaded;
  try {
    // Not `import()`: a thread whose modules wait while they load misses what it is sent before.
    const { compiledFile } = require("./compiled-file.ts") as typeof import("./compiled-file.ts");
    loaded = { dictionary: readDictionary(readFileSync(compiledFile)), fault: null };
  } catch (error) {
    loaded = { dictionary: null, fault: error instanceof Error ? error.message : String(error) };
  }
  return loaded;
}

/** Why there is no dictionary; null if there is. */
export const dictionaryFault = (): string | null => load().fault;

/** Names the dictionary that an index was made with; `stems` if there is none. */
export const dictionaryName = (): string => load().dictionary?.hash ?? "stems";

/** The token of a form; null if the dictionary lacks it. @param form folded, of letters that are all Russian or all English */
export function lemmaToken(form: string): string | null {
  return tokensOfForm(form, 1)[0] ?? null;
}

/** Tokens of all forms that have a lemma in common with this one, its own first; none for unknown forms. */
export function lemmaTokens(form: string): string[] {
  return tokensOfForm(form);
}

/** Whether no other form has the token of a form; false for unknown forms, whose stems others may have. */
export function isOnlyOfItsToken(form: string): boolean {
  const { dictionary } = load();
  return dictionary !== null && dictionary.areAlone[numberOfWord(dictionary.arcs, form)] === 1;
}

function tokensOfForm(form: string, limit?: number): string[] {
  const { dictionary } = load();
  if (dictionary === null) return [];
  const number = numberOfWord(dictionary.arcs, form);
  if (number === -1) return [];
  const parts = dictionary.tokens[number]?.split(" ", limit) ?? [];
  return parts.map((part) => tokenOf(form, part));
}

/** @param part letters to drop from the end of a form, and what follows */
function tokenOf(form: string, part: string): string {
  const drop = Number.parseInt(part, 10);
  return form.slice(0, form.length - drop) + part.slice(drop < 10 ? 1 : 2);
}

/** Tokens of forms that begin with a prefix, if other forms with this token may not. */
export function lemmasWithin(prefix: string): string[] {
  const { dictionary } = load();
  const tokens = new Set<string>();
  if (dictionary === null) return [];
  const { arcs, drops, tokens: parts } = dictionary;
  eachWithPrefix(arcs, prefix, (number, longer) => {
    const drop = drops[number] ?? 0;
    if (drop <= longer) return;
    const [own = ""] = parts[number]?.split(" ", 1) ?? [];
    tokens.add(prefix.slice(0, prefix.length + longer - drop) + own.slice(drop < 10 ? 1 : 2));
  });
  return [...tokens];
}
