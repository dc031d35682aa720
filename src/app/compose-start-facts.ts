import type { Directory } from "../catalog/directory/directory.ts";
import type { Accounts } from "../customers/accounts/accounts.ts";
import type { StartFacts } from "../doors/http/docs/start-page.ts";
import type { Ports } from "../ports/ports.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/** Counts are shown for so many times as long as they took: a visitor costs a reader one part in that. */
const SHOWN_TIMES = 100;

/**
 * Facts of the data and the plans for `/`. Who has just imported a file sees its rows: a small catalog is
 * counted for each visitor, a million channels every ten seconds.
 */
export function composeStartFacts(
  { readers }: DatabaseThreads,
  {
    accounts,
    directory,
    isSignUpOpen,
  }: {
    accounts: Pick<Accounts, "plans">;
    directory: Pick<Directory, "categories">;
    isSignUpOpen(): Promise<boolean>;
  },
  { clock, log }: Ports,
): () => Promise<StartFacts> {
  let counted: { untilMs: number; tables: Promise<StartFacts["tables"]> } | null = null;

  async function count(): Promise<StartFacts["tables"]> {
    const startedMs = clock.monotonic();
    try {
      return (await readers.readDatabaseFacts()).tables;
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
