/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Page } from "../../../values/json-text.ts";
import { nextCursor } from "../visit/look-up.ts";
import { asset, useVisit } from "../visit/visit.ts";

/** A box for content that may be wider than a phone: it scrolls by itself, also by keyboard. */
export function Scroll({
  label,
  isTall = false,
  children,
}: {
  label: string;
  /** Whether it also scrolls vertically. */
  isTall?: boolean;
  children: Child;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as a landmark it would repeat the one that it stands in
    <section class={isTall ? "scroll tall" : "scroll"} role="group" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}

/**
 * A column: its head, what a row's cell contains, and the cell's classes; among them, `row` makes it the
 * row's head, `number` right-aligns the column, and `bare` leaves out the column's name on a phone. The
 * last one is a class that only some rows' cells have.
 */
export type Column<Row> = readonly [
  head: string,
  cell: (row: Row) => Child,
  look?: string,
  mark?: (row: Row) => string | false,
];

/** Rows of data; on a phone, each row becomes a block. */
export function DataTable<Row>({
  label,
  rows,
  total,
  columns,
  empty,
  isTall = false,
  className = "data",
}: {
  label: string;
  rows: readonly Row[];
  /** A row below the others. */
  total?: Row;
  columns: readonly Column<Row>[];
  empty?: Child;
  /** Whether its rows scroll below a fixed header. */
  isTall?: boolean;
  /** With a class other than `data`, cells name their own column. */
  className?: string;
}) {
  if (rows.length === 0 && empty !== undefined) return <p class="empty">{empty}</p>;
  return (
    <Scroll label={label} isTall={isTall}>
      <table class={className}>
        <thead>
          <tr>
            {columns.map(([head, , look]) => (
              <th scope="col" class={look?.split(" ").includes("number") ? "number" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row {...{ row, columns, className }} />
          ))}
        </tbody>
        {total !== undefined && (
          <tfoot>
            <Row row={total} {...{ columns, className }} />
          </tfoot>
        )}
      </table>
    </Scroll>
  );
}

function Row<Row>({
  row,
  columns,
  className,
}: {
  row: Row;
  columns: readonly Column<Row>[];
  className: string;
}) {
  return (
    <tr>
      {columns.map(([head, cell, look = "", mark]) => {
        const plain = look.replace(/\b(row|bare)\b/g, "");
        const classes = `${plain} ${mark?.(row) || ""}`.trim() || undefined;
        if (/\brow\b/.test(look)) {
          return (
            <th scope="row" class={classes}>
              {cell(row)}
            </th>
          );
        }
        const isNamed = className !== "data" && !/\b(bare|address)\b/.test(look);
        return (
          <td class={classes} data-label={isNamed ? head : undefined}>
            {cell(row)}
          </td>
        );
      })}
    </tr>
  );
}

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
