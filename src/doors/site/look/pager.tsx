/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Page } from "../../../values/json-text.ts";
import { nextCursor } from "../visit/look-up.ts";
import { asset } from "../visit/site-path.ts";
import type { Visit } from "../visit/visit.ts";

/** Links to the next page of results, and back to the first. */
export function Pager({
  visit,
  page,
  path,
  given,
}: {
  visit: Visit;
  page: Page<unknown>;
  path: string;
  /** The filters that the address gives. */
  given: Readonly<Record<string, string>>;
}): JSX.Element {
  const words = visit.words.explorerPages;
  const cursor = nextCursor(page);
  const hrefOf = (more: { cursor?: string }) =>
    asset(visit, `${path}?${new URLSearchParams({ ...given, ...more })}`);
  return (
    <p class="row">
      {visit.query.get("cursor") && <a href={hrefOf({})}>{words.firstPage}</a>}
      {cursor !== null && (
        <a href={hrefOf({ cursor })} rel="next">
          {words.nextPage}
        </a>
      )}
    </p>
  );
}
