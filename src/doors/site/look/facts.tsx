/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

/** A name and its value. */
export type Fact = readonly [name: string, value: Child];

/** What is known of one thing; without the names of which the value is null, false or empty. */
export function Facts({ facts }: { facts: readonly Fact[] }): JSX.Element {
  const known = facts.filter(([, value]) => value !== null && value !== false && value !== "");
  return (
    <dl>
      {known.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}
