import type { StartFacts } from "../doors/http/docs/start-page.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

/** Counts are shown for so many times as long as they took: a visitor costs a reader one part in that. */
const SHOWN_TIMES = 100;

/**
 * Facts of the data and the plans for `/`. Who has just imported a file sees its rows: a small catalog is
 * counted for each visitor, a million channels every ten seconds.
 */
export function composeStartFacts(
  { threads, ports: { clock, log } }: Base,
  { accounts, services: { directory } }: Work,
  isSignUpOpen: () => Promise<boolean>,
): () => Promise<StartFacts> {
  let counted: { untilMs: number; tables: Promise<StartFacts["tables"]> } | null = null;

  async function count(): Promise<StartFacts["tables"]> {
    const startedMs = clock.monotonic();
    try {
      return (await threads.readers.readDatabaseFacts()).tables;
    } catch (error) {
      log.warn({ err: error }, "the rows could not be counted for the start page");
      return null;
    } finally {
      const endedMs = clock.monotonic();
      if (counted !== null) counted.untilMs = endedMs + SHOWN_TIMES * (endedMs - startedMs);
    }
  }

  return async () => {
    if (counted === null || clock.monotonic() >= counted.untilMs) {
      counted = { untilMs: Number.POSITIVE_INFINITY, tables: count() };
    }
    const [tables, plans, maySignUp] = await Promise.all([
      counted.tables,
      accounts.plans(),
      isSignUpOpen(),
    ]);
    return { tables, plans, maySignUp, categories: directory.categories() };
  };
}
