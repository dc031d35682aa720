/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

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
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as a landmark it would repeat the one that it stands in
    <section class={isTall ? "scroll tall" : "scroll"} role="group" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** Rows of data; on a phone, each row becomes a block. */
export function DataTable({
  label,
  isTall = false,
  className = "data",
  columns,
  children,
}: {
  label: string;
  /** Whether its rows scroll below a fixed header. */
  isTall?: boolean;
  /** Cells of a table with a class other than `data` must name their own column. */
  className?: string;
  /** Prefixing a name with `#` marks a column of numbers. */
  columns: readonly string[];
  children: Child;
}): JSX.Element {
  return (
    <Scroll label={label} isTall={isTall}>
      <table class={className}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column.startsWith("#") ? "number" : undefined}>
                {column.replace(/^#/, "")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  );
}
