import { createTicker, type Ticker } from "../upkeep/jobs/ticker.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

const EVERY_SECOND = "* * * * * *";
const EVERY_FIVE_SECONDS = "*/5 * * * * *";
const EVERY_FIVE_MINUTES = "0 */5 * * * *";

/** Creates the timers that look for due work, in the order in which they start: the leases come first. */
export function composeTickers(
  { lease, cluster, clockWatch, database }: Base,
  { hooks, mailer, postIndex, imports, sources, answers, readAhead, scheduler }: Work,
): Ticker[] {
  const { isOwn } = cluster.upkeep;
  /** Runs only in the one process that does the upkeep for all workers and nodes. */
  const asUpkeep = (work: () => Promise<void>) => async () => {
    if (isOwn()) await work();
  };
  /** Runs only in the one worker that does the upkeep for this node. */
  const asUpkeepOfNode = (work: () => Promise<void>) => async () => {
    if (lease.isOwn()) await work();
  };
  return [
    createTicker(EVERY_SECOND, async () => void clockWatch.look()),
    createTicker(EVERY_SECOND, lease.tick),
    createTicker(EVERY_SECOND, cluster.upkeep === lease ? async () => {} : cluster.upkeep.tick),
    createTicker(EVERY_SECOND, cluster.tick),
    createTicker(EVERY_SECOND, asUpkeep(hooks.push.tick)),
    createTicker(EVERY_SECOND, asUpkeep(mailer.runDue)),
    createTicker(EVERY_SECOND, asUpkeepOfNode(postIndex.tick)),
    createTicker(EVERY_SECOND, asUpkeepOfNode(readAhead.tick)),
    createTicker(EVERY_FIVE_SECONDS, scheduler.followImports),
    createTicker(EVERY_FIVE_SECONDS, () => imports.tick(isOwn())),
    createTicker(EVERY_SECOND, () => (isOwn() ? sources.tick() : sources.keepAlive())),
    createTicker(EVERY_FIVE_SECONDS, answers.flush),
    createTicker(EVERY_FIVE_MINUTES, async () => database.restThreads()),
  ];
}
