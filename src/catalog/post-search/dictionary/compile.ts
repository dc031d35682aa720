import { buildAutomaton } from "./automaton.ts";
import { englishLemmas } from "./english-lemmas.ts";
import { expandHunspell } from "./hunspell.ts";
import { uniteParadigms } from "./united-paradigms.ts";

/**
 * Compiles dictionaries into what `lemmas.ts` reads. Forms have a token that names their lemma, and those of
 * several lemmas one that names them all, so that each word of a text has a single token. A token consists of
 * what all forms of its lemmas begin with, and for each lemma of a dot and the rest of it: рын.ок, ста.ль.ть.
 */

const RUSSIAN = /^[а-я]{2,}$/;
const fold = (word: string): string => word.toLowerCase().replaceAll("ё", "е");

/** A dictionary in hunspell's format. */
export interface Hunspell {
  aff: string;
  dic: string;
}

/** Words that the dictionary lacks, with the flags of those that are inflected like them. */
const NEW_WORDS = `
айфон/K апгрейд/K байк/K биткоин/K вебинар/K дедлайн/K донат/K дрон/K инсайт/K интенсив/K котятки/O криптовалюта/I
лайк/K лид/K лонгрид/K маркетплейс/K мета/I митап/K найм/K подкаст/K промокод/K репост/K стартап/K стрим/K токен/K
тренд/K фейк/K хайп/K хештег/K`.replaceAll(" ", "\n");

/** Forms by lemma. */
export type Lemmas = Map<string, Set<string>>;

function russianLemmas({ aff, dic }: Hunspell): Lemmas {
  const lemmas: Lemmas = new Map();
  for (const [base, forms] of expandHunspell(aff, dic + NEW_WORDS)) {
    const name = fold(base);
    const all = lemmas.get(name) ?? new Set();
    for (const form of [base, ...forms.map(([, form]) => form)].map(fold)) {
      if (RUSSIAN.test(form)) all.add(form);
    }
    if (all.size > 0) lemmas.set(name, all);
  }
  uniteParadigms(lemmas);
  return lemmas;
}

export interface Compiled {
  arcs: Uint32Array;
  /**
   * By the automaton's numbers: the token of a form, then those of other forms with one of its lemmas. Each
   * is a number of letters to drop from the form, and what follows the others. `ALONE` ends those of a form whose
   * token no other has, not even a word that the dictionary lacks.
   */
  tokens: string[];
}

export const ALONE = "!";

export function compileDictionary(russian: Hunspell, english: Hunspell): Compiled {
  const lemmas = [...russianLemmas(russian), ...englishLemmas(english)].map(([name, forms]) => ({
    name,
    forms,
  }));
  const lemmasOfForms = new Map<string, number[]>();
  for (const [number, { forms }] of lemmas.entries()) {
    for (const form of forms) {
      const numbers = lemmasOfForms.get(form);
      if (numbers === undefined) lemmasOfForms.set(form, [number]);
      else numbers.push(number);
    }
  }
  const common = lemmas.map(({ forms }) => commonBeginning([...forms]));
  const tokenOf = (numbers: readonly number[]): string => {
    const beginning = numbers
      .map((number) => common[number] ?? "")
      .reduce((one, other) => (other.length < one.length ? other : one));
    const names = numbers.map((number) => lemmas[number]?.name ?? "");
    const [only = "", ...others] = names;
    if (others.length === 0 && only === beginning) {
      // The dot tells it from stems of words that the dictionary lacks.
      return lemmas[numbers[0] ?? 0]?.forms.size === 1 ? `${only}.` : only;
    }
    return (
      beginning +
      names
        .map((name) => `.${name.slice(beginning.length)}`)
        .sort()
        .join("")
    );
  };
  const tokensOfLemmas = lemmas.map(() => new Set<string>());
  const ownTokens = new Map<string, string>();
  for (const [form, numbers] of lemmasOfForms) {
    const token = tokenOf(numbers);
    ownTokens.set(form, token);
    for (const number of numbers) tokensOfLemmas[number]?.add(token);
  }
  const formsOfTokens = new Map<string, number>();
  for (const token of ownTokens.values()) {
    formsOfTokens.set(token, (formsOfTokens.get(token) ?? 0) + 1);
  }
  const numbersOfTokens = new Map<string, number>();
  const words = [...ownTokens.keys()].sort().map((form): [string, number] => {
    const own = ownTokens.get(form) ?? "";
    const numbers = lemmasOfForms.get(form) ?? [];
    const related = new Set(numbers.flatMap((number) => [...(tokensOfLemmas[number] ?? [])]));
    related.delete(own);
    const tokens = [own, ...[...related].sort()].map((token) => relativeTo(form, token));
    const key = tokens.join(" ") + (own.includes(".") && formsOfTokens.get(own) === 1 ? ALONE : "");
    const known = numbersOfTokens.get(key) ?? numbersOfTokens.size;
    numbersOfTokens.set(key, known);
    return [form, known];
  });
  return { arcs: buildAutomaton(words), tokens: [...numbersOfTokens.keys()] };
}

function commonBeginning([first = "", ...others]: readonly string[]): string {
  let { length } = first;
  for (const other of others) {
    let same = 0;
    while (same < length && first[same] === other[same]) same += 1;
    length = same;
  }
  return first.slice(0, length);
}

/** Letters to drop from a form, and what follows: 2.ок makes рын.ок of рынка. */
function relativeTo(form: string, token: string): string {
  let same = 0;
  while (same < form.length && form[same] === token[same]) same += 1;
  return `${form.length - same}${token.slice(same)}`;
}
