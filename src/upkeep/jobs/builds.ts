import { MENTIONS_BUILD, mentionsStep } from "../../catalog/mentions/build-mentions.ts";
import { postSearchBuild } from "../../catalog/post-search/catch-up.ts";
import { LAST_POST_BUILD, lastPostStep } from "../../catalog/search/last-post-order.ts";
import { type BackgroundBuild, tableBuild } from "../../db/background-builds.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

/** Settings that builds go by. Plain data, since they are sent to a thread. */
interface BuildSettings {
  messengerHosts: readonly string[];
  postSearch: boolean;
}

function buildsOf({ messengerHosts, postSearch }: BuildSettings): readonly BackgroundBuild[] {
  return [
    tableBuild(LAST_POST_BUILD, lastPostStep),
    tableBuild(MENTIONS_BUILD, mentionsStep(messengerHosts)),
    postSearchBuild(postSearch),
  ];
}

/** Work of one turn on each: the thread is the scheduler's too, whose jobs come between two turns. */
const TURN_MS = 1_000;

/** Goes on with each build that is not done. */
export async function buildSome(
  db: Database,
  clock: Clock,
  settings: BuildSettings,
): Promise<void> {
  for (const build of buildsOf(settings)) {
    if (build.percent(db) !== null) await build.goOn(db, clock, clock.monotonic() + TURN_MS);
  }
}

interface BuildState {
  name: string;
  /** Whole percent. */
  percent: number;
}

export type Builds = ReturnType<typeof createBuilds>;

/**
 * Goes on with all builds, turn by turn, to the end and over restarts: with what a new version makes of a
 * former one's database, and with the index of posts.
 * @param some does a turn, on a thread that writes
 */
export function createBuilds(
  db: Database,
  some: (settings: BuildSettings) => Promise<void>,
  settings: BuildSettings,
  log: Log,
) {
  const builds = buildsOf(settings);
  /** Builds that somebody waits for: at 100 percent all is there, and only brought to what changed since. */
  const list = (): BuildState[] =>
    builds
      .map(({ name, percent }) => ({ name, percent: percent(db) ?? 100 }))
      .filter(({ percent }) => percent < 100);
  return {
    list,
    /** Does one turn of what is left. Never throws. */
    async look(): Promise<void> {
      try {
        if (builds.every(({ percent }) => percent(db) === null)) return;
        const before = list();
        await some(settings);
        const left = new Set(list().map(({ name }) => name));
        for (const { name } of before) {
          if (!left.has(name)) log.info({ build: name }, "a build in the background is done");
        }
      } catch (error) {
        log.error({ err: error }, "a background build could not go on");
      }
    },
  };
}
