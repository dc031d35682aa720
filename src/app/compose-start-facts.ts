import { COUNTED_TABLES, type StartFacts } from "../doors/http/docs/start-page.ts";
import { keptBriefly } from "../values/kept-briefly.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

/** The first count takes long, because it waits for its thread to start; its age has this limit. */
const COUNTS_AGE_MAX_MS = 5_000;

/** Numbers of the data and the plans for `/`. Newly imported rows show up within five seconds. */
export function composeStartFacts(
  { threads, ports: { clock, log } }: Base,
  { accounts, services: { directory } }: Work,
  isSignUpOpen: () => Promise<boolean>,
): () => Promise<StartFacts> {
  async function countRows(): Promise<StartFacts["tables"]> {
    try {
      return await threads.read.countRows(COUNTED_TABLES);
    } catch (error) {
      log.warn({ err: error }, "the rows could not be counted for the start page");
      return null;
    }
  }

  const counts = keptBriefly(countRows, clock.monotonic, COUNTS_AGE_MAX_MS);
  return async () => {
    const [tables, plans, maySignUp] = await Promise.all([
      counts(),
      accounts.plans(),
      isSignUpOpen(),
    ]);
    return { tables, plans, maySignUp, categories: directory.categories() };
  };
}
