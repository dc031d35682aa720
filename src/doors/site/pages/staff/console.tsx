/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { idOf } from "../../forms/read-form.ts";
import { Done } from "../../look/user-text.tsx";
import { asset, page, useVisit, type View } from "../../visit/visit.ts";

/** A page that first shows what was just done. */
export function consolePage(title: string, body: JSX.Element): View {
  return page(
    title,
    <>
      <Done words={useVisit().words.staffPages.done} />
      {body}
    </>,
  );
}

/** The number in the page's address. @throws AppError `not_found` */
export function addressedId(): number {
  return idOf(useVisit().params["id"] ?? "");
}

const ROWS_PER_PAGE = 50;

/** Rows of the requested page, and links to the pages before and after it. */
export function paged<T>(rows: readonly T[]): { shown: T[]; pager: JSX.Element | null } {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const last = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE));
  const requested = Number(visit.query.get("page") ?? 1);
  const at = Number.isInteger(requested) ? Math.min(Math.max(requested, 1), last) : 1;
  const shown = rows.slice((at - 1) * ROWS_PER_PAGE, at * ROWS_PER_PAGE);
  if (last === 1) return { shown, pager: null };
  return {
    shown,
    pager: (
      <p class="row">
        {at > 1 && <a href={withQuery({ page: at - 1 })}>← {at - 1}</a>}
        <span>
          {at} {visit.words.of} {last}
        </span>
        {at < last && (
          <a href={withQuery({ page: at + 1 })} aria-label={`${words.show}: ${at + 1}`}>
            {at + 1} →
          </a>
        )}
      </p>
    ),
  };
}

/** The page's own address with another query, and without the mark of what was just done. */
export function withQuery(change: Record<string, string | number>): string {
  const visit = useVisit();
  const query = new URLSearchParams(visit.query);
  query.delete("done");
  for (const [name, value] of Object.entries(change)) query.set(name, String(value));
  return asset(`${visit.path.split("?")[0]}?${query}`);
}
