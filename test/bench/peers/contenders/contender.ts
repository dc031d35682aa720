import type { Server } from "../processes.ts";
import type { Wish } from "../requests.ts";

/** A server that can be asked for what Kanalog is asked for. */
export interface Contender {
  name: string;
  server: Server;
  headers: Record<string, string>;
  /** The path that fulfils the wish; null where its interface has none. */
  path(wish: Wish): Promise<string | null>;
  /** By what an answer is compared: the numbers of its rows in their order. */
  rows(wish: Wish, body: unknown): (number | string)[];
}

interface ListBody {
  results: { id?: number; channel?: number; day?: string }[];
}

/** Of answers in Kanalog's own form. */
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

/** A path with those parameters that have a value. */
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
