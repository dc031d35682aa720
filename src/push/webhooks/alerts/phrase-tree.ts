interface Node {
  next: Map<string, Node>;
  /** Number of the phrase that ends here, if one does. */
  number: number | null;
}

/** A trie of numbered phrases, keyed by the stems of their words. */
export class PhraseTree {
  private readonly begin: Node = { next: new Map(), number: null };

  get isEmpty(): boolean {
    return this.begin.next.size === 0;
  }

  add(stems: readonly string[], number: number): void {
    change(this.begin, stems, number);
  }

  remove(stems: readonly string[]): void {
    change(this.begin, stems, null);
  }

  /**
   * Finds phrases in a text.
   * @param found called with the number of each phrase found
   * @returns a function to call with the stem of each word, in order
   */
  walk(found: (number: number) => void): (stem: string) => void {
    /** Nodes reached by the preceding words, and the root, since each word may start a phrase. */
    let ways = [this.begin];
    return (stem) => {
      const on = [this.begin];
      for (const node of ways) {
        const next = node.next.get(stem);
        if (next === undefined) continue;
        on.push(next);
        if (next.number !== null) found(next.number);
      }
      ways = on;
    };
  }
}

/** @param number null removes the phrase, with nodes that lead to no other one */
function change(node: Node, stems: readonly string[], number: number | null): void {
  const [stem, ...rest] = stems;
  if (stem === undefined) {
    node.number = number;
    return;
  }
  const next = node.next.get(stem) ?? { next: new Map(), number: null };
  node.next.set(stem, next);
  change(next, rest, number);
  if (next.number === null && next.next.size === 0) node.next.delete(stem);
}
