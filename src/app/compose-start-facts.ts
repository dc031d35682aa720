import { COUNTED_TABLES, type StartFacts } from "../doors/http/docs/start-page.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

/** Counts are cached for 20 times as long as counting took, so that visitors cannot keep a reader busy. */
const SHOWN_TIMES = 20;
/** Upper limit for that: the first count takes long, because it waits for its thread to start. */
const SHOWN_MAX_MS = 5_000;

/** Numbers of the data and the plans for `/`. Newly imported rows show up within five seconds. */
export function composeStartFacts(
  { threads, ports: { clock, log } }: Base,
  { accounts, services: { directory } }: Work,
  isSignUpOpen: () => Promise<boolean>,
): () => Promise<StartFacts> {
  let counted: { untilMs: number; tables: Promise<StartFacts["tables"]> } | null = null;

  async function countRows(): Promise<StartFacts["tables"]> {
    try {
      return await threads.readers.countRows(COUNTED_TABLES);
    } catch (error) {
      log.warn({ err: error }, "the rows could not be counted for the start page");
      return null;
    }
  }

  function count() {
    const startedMs = clock.monotonic();
    const counting = { untilMs: Number.POSITIVE_INFINITY, tables: countRows() };
    void counting.tables.then(() => {
      const endedMs = clock.monotonic();
      counting.untilMs = endedMs + Math.min(SHOWN_TIMES * (endedMs - startedMs), SHOWN_MAX_MS);
    });
    return counting;
  }

  return async () => {
    if (counted === null || clock.monotonic() >= counted.untilMs) counted = count();
    const [tables, plans, maySignUp] = await Promise.all([
      counted.tables,
      accounts.plans(),
      isSignUpOpen(),
    ]);
    return { tables, plans, maySignUp, categories: directory.categories() };
  };
}
