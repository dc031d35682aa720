import type { Server } from "../processes.ts";
import type { Wish } from "../requests.ts";

/** A server that can do the same work as Kanalog. */
export interface Contender {
  name: string;
  server: Server;
  headers: Record<string, string>;
  /** The path that fulfils a wish; null if the server has none. */
  path(wish: Wish): Promise<string | null>;
  /** Ids of an answer's rows in order, by which answers are compared. */
  rows(wish: Wish, body: unknown): (number | string)[];
}

interface ListBody {
  results: { id?: number; channel?: number; day?: string }[];
}

/** `rows` for answers in Kanalog's own form. */
export function rowsOfKanalog(wish: Wish, body: unknown): (number | string)[] {
  switch (wish.kind) {
    case "card":
    case "handle":
    case "post":
      return [(body as { id: number }).id];
    case "statistics":
      return (body as ListBody).results.map(({ channel, day }) => `${channel} ${day}`);
    default:
      return (body as ListBody).results.map(({ id }) => id ?? 0);
  }
}

/** Appends those parameters that have a value. */
export function withQuery(
  path: string,
  parameters: Record<string, string | number | boolean | undefined>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}
