/**
 * A minimal acyclic automaton over words of Russian or English letters, each with a number: words that end alike share
 * their arcs, so 1.4 million forms take some megabytes, and looking one up follows one arc per letter.
 *
 * Arcs are 32 bits: a label of 6 bits (letters from 1 on, 0 for a word's number), whether the arc is the
 * last of its state, and the offset of the following state or the number.
 */

const LABEL_BITS = 6;
const LABEL_MASK = 2 ** LABEL_BITS - 1;
const LAST = 2 ** LABEL_BITS;
const TARGET_SHIFT = LABEL_BITS + 1;
/** Labels are from 1 on for Russian letters, and follow for English ones. */
const RUSSIAN_FIRST = "а".charCodeAt(0);
const RUSSIAN_LETTERS = 32;
const ENGLISH_FIRST = "a".charCodeAt(0);
const LETTERS = RUSSIAN_LETTERS + 26;

function labelAt(word: string, at: number): number {
  const unit = word.charCodeAt(at);
  const isRussian = unit >= RUSSIAN_FIRST;
  const label = isRussian ? unit - RUSSIAN_FIRST + 1 : unit - ENGLISH_FIRST + RUSSIAN_LETTERS + 1;
  const isLetter = isRussian ? label <= RUSSIAN_LETTERS : label > RUSSIAN_LETTERS;
  return isLetter && label <= LETTERS ? label : LABEL_MASK;
}

/** Offset of the state after a label, or the number for label 0; -1 if there is none. */
function follow(arcs: Uint32Array, state: number, label: number): number {
  for (let at = state; ; at += 1) {
    const arc = arcs[at] ?? LAST;
    if ((arc & LABEL_MASK) === label) return arc >>> TARGET_SHIFT;
    if ((arc & LAST) !== 0) return -1;
  }
}

function stateAfter(arcs: Uint32Array, word: string): number {
  let state = 0;
  for (let at = 0; at < word.length; at += 1) {
    state = follow(arcs, state, labelAt(word, at));
    if (state === -1) return -1;
  }
  return state;
}

/** The number of a word; -1 if the automaton lacks it. */
export function numberOfWord(arcs: Uint32Array, word: string): number {
  const state = stateAfter(arcs, word);
  return state === -1 ? -1 : follow(arcs, state, 0);
}

/** Calls `found` with the numbers of all words that begin with a prefix, and how much longer they are. */
export function eachWithPrefix(
  arcs: Uint32Array,
  prefix: string,
  found: (number: number, longer: number) => void,
): void {
  const visit = (state: number, longer: number): void => {
    for (let at = state; ; at += 1) {
      const arc = arcs[at] ?? LAST;
      const target = arc >>> TARGET_SHIFT;
      if ((arc & LABEL_MASK) === 0) found(target, longer);
      else visit(target, longer + 1);
      if ((arc & LAST) !== 0) return;
    }
  };
  const state = stateAfter(arcs, prefix);
  if (state !== -1) visit(state, 0);
}

/** @param words with their numbers, ascending by their letters */
export function buildAutomaton(
  words: Iterable<readonly [word: string, number: number]>,
): Uint32Array {
  /** Finished states by what they consist of: equal ones are one. */
  const states = new Map<string, number>();
  const arcs: number[] = [];
  /** Arcs of the states along the current word, as labels and targets. */
  let path: [label: number, target: number][][] = [[]];
  let before = "";

  const finish = (state: [number, number][]): number => {
    const key = state.join(" ");
    const known = states.get(key);
    if (known !== undefined) return known;
    const offset = arcs.length + FIRST_STATE;
    for (const [at, [label, target]] of state.entries()) {
      const last = at === state.length - 1 ? LAST : 0;
      arcs.push(((target << TARGET_SHIFT) | last | label) >>> 0);
    }
    states.set(key, offset);
    return offset;
  };
  const finishDownTo = (depth: number): void => {
    while (path.length - 1 > depth) {
      const offset = finish(path.pop() ?? []);
      path.at(-1)?.push([labelAt(before, path.length - 1), offset]);
    }
  };
  for (const [word, number] of words) {
    let common = 0;
    while (common < before.length && before[common] === word[common]) common += 1;
    finishDownTo(common);
    while (path.length <= word.length) path.push([]);
    path.at(-1)?.push([0, number]);
    before = word;
  }
  finishDownTo(0);
  const [root = []] = path;
  path = [];
  const head = root.map(
    ([label, target], at) =>
      ((target << TARGET_SHIFT) | (at === root.length - 1 ? LAST : 0) | label) >>> 0,
  );
  return Uint32Array.from([...head, ...new Array(FIRST_STATE - head.length).fill(0), ...arcs]);
}

/** The root comes first, with room for all letters. */
const FIRST_STATE = LETTERS + 1;
