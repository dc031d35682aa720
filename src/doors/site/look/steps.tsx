/** @jsxImportSource hono/jsx */

/** Numbered steps; text of another program, in English, is between “ and ”. */
export function Steps({ steps }: { steps: readonly string[] }) {
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
