import type { Directory } from "../catalog/directory/directory.ts";
import type { Accounts } from "../customers/accounts/accounts.ts";
import type { StartFacts } from "../doors/http/docs/start-page.ts";
import type { Ports } from "../ports/ports.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/** Rows are counted so seldom, since counting a million takes a tenth of a second. */
const COUNTED_FOR_MS = 10 * 60 * 1000;

/** Facts of the data and the plans for `/`; the numbers of rows are up to ten minutes old. */
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
  let counted: { atMs: number; tables: Promise<StartFacts["tables"]> } | null = null;
  return async () => {
    if (counted === null || clock.monotonic() - counted.atMs > COUNTED_FOR_MS) {
      const tables = readers.readDatabaseFacts().then(
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
