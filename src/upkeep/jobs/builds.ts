import { MENTIONS_BUILD, mentionsStep } from "../../catalog/mentions/build-mentions.ts";
import { LAST_POST_BUILD, lastPostStep } from "../../catalog/search/last-post-order.ts";
import {
  type Build,
  type BuildStep,
  buildForAWhile,
  findBuild,
  percentDone,
  selectBuilds,
} from "../../db/background-builds.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

/** Settings that builds go by. Plain data, since they are sent to a thread. */
interface BuildSettings {
  messengerHosts: readonly string[];
}

/** All builds by name. */
const STEPS: Readonly<Record<string, (settings: BuildSettings) => BuildStep>> = {
  [MENTIONS_BUILD]: ({ messengerHosts }) => mentionsStep(messengerHosts),
  [LAST_POST_BUILD]: () => lastPostStep,
};

/** Work of one turn: the thread is the scheduler's too, whose jobs come between two turns. */
const TURN_MS = 1_000;

/** Goes on with the first build that is not done. */
export async function buildSome(
  db: Database,
  clock: Clock,
  settings: BuildSettings,
): Promise<void> {
  const build = selectBuilds(db).find(({ name }) => name in STEPS);
  const step = build && STEPS[build.name]?.(settings);
  if (build === undefined || step === undefined) return;
  await buildForAWhile(db, clock, { name: build.name, step, forMs: TURN_MS });
}

interface BuildState extends Build {
  /** Whole percent. */
  percent: number;
}

export interface Builds {
  /** Does one turn of what is left. Never throws. */
  look(): Promise<void>;
  /** Builds that are not done. */
  list(): BuildState[];
}

/**
 * Fills the tables that a new version has from what a database of a former one holds, turn by turn, to
 * the end and over restarts.
 * @param some does a turn, on a thread that writes
 */
export function createBuilds(
  db: Database,
  some: (settings: BuildSettings) => Promise<void>,
  settings: BuildSettings,
  log: Log,
): Builds {
  return {
    async look() {
      try {
        const [build] = selectBuilds(db);
        if (build === undefined) return;
        await some(settings);
        if (findBuild(db, build.name) === undefined) {
          log.info({ build: build.name }, "a table was filled from what was stored before");
        }
      } catch (error) {
        log.error({ err: error }, "a background build could not go on");
      }
    },
    list: () => selectBuilds(db).map((build) => ({ ...build, percent: percentDone(build) })),
  };
}
