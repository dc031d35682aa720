/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";

/** Numbered steps; text of another program, in English, is between “ and ”. */
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
