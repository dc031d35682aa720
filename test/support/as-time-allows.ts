import fc from "fast-check";

/** Seconds that a property is tried for at least; 60 by `bun run test:properties`. */
const TRIED_S = Number(process.env["KANALOG_TEST_PROPERTY_S"] ?? 0);

/** Tries a property `fewest` times, however long that takes, and as often again while there is time. */
export async function asTimeAllows<Values>(
  property: fc.IRawProperty<Values>,
  fewest: number,
): Promise<void> {
  const endAtMs = performance.now() + TRIED_S * 1000;
  do await fc.assert(property, { numRuns: fewest });
  while (performance.now() < endAtMs);
}
