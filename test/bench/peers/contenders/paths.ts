import type { Target } from "../client/load.ts";
import type { Wish, Work } from "../requests.ts";
import type { Contender } from "./contender.ts";

/** The requests to a contender for a work; null if it lacks a part of it. */
export async function targetOf(
  contender: Contender,
  { wishes }: Pick<Work, "wishes">,
): Promise<Target | null> {
  const paths: string[] = [];
  for (const wish of wishes) {
    const path = await contender.path(wish);
    if (path === null) return null;
    paths.push(path);
  }
  return { address: contender.server.address, headers: contender.headers, paths };
}

/** @throws Error if the answer is an error */
export async function answerOf(contender: Contender, wish: Wish): Promise<string> {
  const path = await contender.path(wish);
  const response = await fetch(contender.server.address + path, { headers: contender.headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${contender.name}: ${path}: ${response.status} ${text}`);
  return text;
}

/**
 * Makes sure that the contenders do the same work. Several words are not compared: the peers find a text as it
 * stands, Kanalog its words in any order too.
 * @throws Error if two contenders answer a wish with different rows
 */
export async function requireSameRows(
  [first, ...others]: readonly Contender[],
  wishes: readonly Wish[],
): Promise<void> {
  if (first === undefined) return;
  for (const wish of wishes) {
    if (wish.kind === "catalog" && /\s/.test(wish.q ?? "")) continue;
    const expected = rowsText(first, wish, await answerOf(first, wish));
    for (const other of others) {
      const found = rowsText(other, wish, await answerOf(other, wish));
      if (found !== expected) {
        throw new Error(
          `${JSON.stringify(wish)}: ${first.name} answers ${expected}, ${other.name} ${found}`,
        );
      }
    }
  }
}

function rowsText(contender: Contender, wish: Wish, answer: string): string {
  const rows = contender.rows(wish, JSON.parse(answer));
  // PocketBase cannot return rows in the order of the ids.
  return (wish.kind === "ids" ? rows.toSorted() : rows).join(" ");
}
