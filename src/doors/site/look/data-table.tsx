/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

/** A box for what may be wider than a phone: it scrolls by itself, by the keyboard too. */
export function Scroll({ label, children }: { label: string; children: Child }): JSX.Element {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** Rows of data; on a phone each row is a block. */
export function DataTable({
  label,
  columns,
  children,
}: {
  label: string;
  /** A column of numbers is named with `#` before it. */
  columns: readonly string[];
  children: Child;
}): JSX.Element {
  return (
    <Scroll label={label}>
      <table class="data">
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
