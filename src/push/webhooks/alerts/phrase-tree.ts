interface Node {
  next: Map<string, Node>;
  /** Number of the phrase that ends here, if one does. */
  number: number | null;
}

/** A trie of numbered phrases, keyed by the stems of their words. */
export class PhraseTree {
  private readonly root: Node = { next: new Map(), number: null };

  get isEmpty(): boolean {
    return this.root.next.size === 0;
  }

  add(stems: readonly string[], number: number): void {
    change(this.root, stems, number);
  }

  remove(stems: readonly string[]): void {
    change(this.root, stems, null);
  }

  /**
   * Finds phrases in a text.
   * @param found called with the number of each phrase found
   * @returns a function to call with the stem of each word, in order
   */
  walk(found: (number: number) => void): (stem: string) => void {
    /** Nodes that the preceding words lead to, and the root, since any word may start a phrase. */
    let reached = [this.root];
    return (stem) => {
      const following = [this.root];
      for (const node of reached) {
        const next = node.next.get(stem);
        if (next === undefined) continue;
        following.push(next);
        if (next.number !== null) found(next.number);
      }
      reached = following;
    };
  }
}

/** Sets the number of a phrase. @param number null removes it, with nodes that lead to no other phrase */
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
