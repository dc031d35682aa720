/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";

/** Steps, one after another; what another program says in English stands between “ and ”. */
export function Steps({ steps }: { steps: readonly string[] }): JSX.Element {
  return (
    <ol>
      {steps.map((step) => (
        <li>
          {step.split(/“([^”]*)”/).map((part, at) =>
            at % 2 === 0 ? (
              part
            ) : (
              <q lang="en">
                <bdi>{part}</bdi>
              </q>
            ),
          )}
        </li>
      ))}
    </ol>
  );
}
