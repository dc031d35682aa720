import fc from "fast-check";

/** Minimum time for which a property is tried; 60 seconds in `bun run campaign properties`. */
const TRIED_S = Number(process.env["KANALOG_TEST_PROPERTY_S"] ?? 0);

/** Tries a property `fewest` times, however long that takes, and again as long as there is time. */
export async function asTimeAllows<Values>(
  property: fc.IRawProperty<Values>,
  fewest: number,
): Promise<void> {
  const endAtMs = performance.now() + TRIED_S * 1000;
  do await fc.assert(property, { numRuns: fewest });
  while (performance.now() < endAtMs);
}
