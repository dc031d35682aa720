/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";

/** A name and its value. */
export type Fact = readonly [name: string, value: Child];

/** Facts about one thing; names whose value is null, false or empty are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
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
