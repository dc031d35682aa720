import { MENTIONS_BUILD, mentionsStep } from "../../catalog/mentions/build-mentions.ts";
import { postSearchBuild } from "../../catalog/post-search/catch-up.ts";
import { LAST_POST_BUILD, lastPostStep } from "../../catalog/search/last-post-order.ts";
import { type BackgroundBuild, tableBuild } from "../../db/background-builds.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

/** Settings for builds. Plain data, because they are sent to a thread. */
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

/** Time per turn and build: the thread also runs the scheduler's jobs, which go between turns. */
const TURN_MS = 1_000;

/** Continues each unfinished build for one turn. */
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
  /** In whole percent. */
  percent: number;
}

export type Builds = ReturnType<typeof createBuilds>;

/**
 * Continues all background builds turn by turn until they are complete, across restarts: those that upgrade
 * a database of an earlier version, and the post index.
 * @param some runs one turn, on a writing thread
 */
export function createBuilds(
  db: Database,
  some: (settings: BuildSettings) => Promise<void>,
  settings: BuildSettings,
  log: Log,
) {
  const builds = buildsOf(settings);
  /** Builds that somebody is waiting for. One at 100 percent is complete and only follows changes. */
  const list = (): BuildState[] =>
    builds
      .map(({ name, percent }) => ({ name, percent: percent(db) ?? 100 }))
      .filter(({ percent }) => percent < 100);
  return {
    list,
    /** Runs one turn of the remaining work. Never throws. */
    async tick(): Promise<void> {
      try {
        if (builds.every(({ percent }) => percent(db) === null)) return;
        const before = list();
        await some(settings);
        const left = new Set(list().map(({ name }) => name));
        for (const { name } of before) {
          if (!left.has(name)) log.info({ build: name }, "a background build finished");
        }
      } catch (error) {
        log.error({ err: error }, "a step of a background build failed");
      }
    },
  };
}
