import type { StartFacts } from "../doors/http/docs/start-page.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

/** Rows are counted so seldom, since counting a million takes a tenth of a second. */
const COUNTED_FOR_MS = 10 * 60 * 1000;

/** Facts of the data and the plans for `/`; the numbers of rows are up to ten minutes old. */
export function composeStartFacts(
  { threads, ports: { clock, log } }: Base,
  { accounts, services: { directory } }: Work,
  isSignUpOpen: () => Promise<boolean>,
): () => Promise<StartFacts> {
  let counted: { atMs: number; tables: Promise<StartFacts["tables"]> } | null = null;
  return async () => {
    if (counted === null || clock.monotonic() - counted.atMs > COUNTED_FOR_MS) {
      const tables = threads.readers.readDatabaseFacts().then(
        (facts) => facts.tables,
        (error) => {
          counted = null;
          log.warn({ err: error }, "the rows could not be counted for the start page");
          return null;
        },
      );
      counted = { atMs: clock.monotonic(), tables };
    }
    const [tables, plans, maySignUp] = await Promise.all([
      counted.tables,
      accounts.plans(),
      isSignUpOpen(),
    ]);
    return { tables, plans, maySignUp, categories: directory.categories() };
  };
}
