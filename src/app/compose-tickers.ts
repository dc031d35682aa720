import { createTicker, type Ticker } from "../upkeep/jobs/ticker.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

const EVERY_SECOND = "* * * * * *";
const EVERY_FIVE_SECONDS = "*/5 * * * * *";

/** Looks by the clock at what is due, those of the leases first. */
export function composeTickers(
  { lease, cluster }: Base,
  { hooks, mailer, builds, imports, sources, answers, readAhead, scheduler }: Work,
): Ticker[] {
  const { isOwn } = cluster.upkeep;
  /** Work that one process does for all workers and nodes. */
  const asUpkeep = (work: () => Promise<void>) => async () => {
    if (isOwn()) await work();
  };
  /** Work that one worker does for all workers of this node. */
  const asUpkeepOfNode = (work: () => Promise<void>) => async () => {
    if (lease.isOwn()) await work();
  };
  return [
    createTicker(EVERY_SECOND, lease.look),
    createTicker(EVERY_SECOND, cluster.upkeep === lease ? async () => {} : cluster.upkeep.look),
    createTicker(EVERY_SECOND, cluster.look),
    createTicker(EVERY_SECOND, asUpkeep(hooks.push.look)),
    createTicker(EVERY_SECOND, asUpkeep(mailer.runDue)),
    createTicker(EVERY_SECOND, asUpkeepOfNode(builds.look)),
    createTicker(EVERY_SECOND, asUpkeepOfNode(readAhead.look)),
    createTicker(EVERY_FIVE_SECONDS, scheduler.followImports),
    createTicker(EVERY_FIVE_SECONDS, () => imports.look(isOwn())),
    createTicker(EVERY_FIVE_SECONDS, () => (isOwn() ? sources.look() : sources.keepOn())),
    createTicker(EVERY_FIVE_SECONDS, answers.flush),
  ];
}
