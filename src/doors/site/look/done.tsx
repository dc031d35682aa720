/** @jsxImportSource hono/jsx */

import { useVisit } from "../visit/use-visit.ts";

/** Shows what was just done, from the name of it in the page's address. */
export function Done({ words }: { words: Readonly<Record<string, string>> }) {
  const { query, request } = useVisit();
  const name = query.get("done") ?? "";
  // A POST shows a form that failed, but `done` may still be in its address.
  if (request.method !== "GET" || !Object.hasOwn(words, name)) return null;
  return <p role="status">{words[name]}</p>;
}
