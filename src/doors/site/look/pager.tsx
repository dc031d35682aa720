/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Page } from "../../../values/json-text.ts";
import { nextCursor } from "../visit/look-up.ts";
import { asset } from "../visit/site-path.ts";
import { useVisit } from "../visit/use-visit.ts";

/** Links to the next page of results, and back to the first. */
export function Pager({
  page,
  path,
  given,
  section = "",
  first = useVisit().words.explorerPages.firstPage,
  next = useVisit().words.explorerPages.nextPage,
  children,
}: {
  page: Page<unknown>;
  path: string;
  /** The filters that the address gives. */
  given: Readonly<Record<string, string>>;
  /** The list's place on the page, such as `#posts`. */
  section?: string;
  /** Labels of the links. */
  first?: string;
  next?: string;
  /** Further links beside them. */
  children?: Child;
}) {
  const visit = useVisit();
  const cursor = nextCursor(page);
  const hrefOf = (more: { cursor?: string }) =>
    asset(`${path}?${new URLSearchParams({ ...given, ...more })}${section}`);
  return (
    <p class="row">
      {visit.query.get("cursor") && <a href={hrefOf({})}>{first}</a>}
      {cursor !== null && (
        <a href={hrefOf({ cursor })} rel="next">
          {next}
        </a>
      )}
      {children}
    </p>
  );
}
