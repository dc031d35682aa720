import { test } from "bun:test";
import pg from "pg";
import { COMMITS_CHANNEL, listenToNotices } from "../../src/cluster/notices.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";
import { openPostgresLine } from "../support/postgres-line.ts";
import { until } from "../support/until.ts";

test.skipIf(!hasPostgres)(
  "commits are heard again after the connection was lost, until listening is stopped",
  async () => {
    const url = await newPostgresDatabase();
    const line = await openPostgresLine(url);
    line.hearsNotices = true;
    const committing = new pg.Client({ connectionString: url });
    await committing.connect();
    let heard = 0;
    const atOnce = { ...systemClock, sleep: () => systemClock.sleep(1) };
    const listening = listenToNotices(line.url, "test", atOnce, {
      [COMMITS_CHANNEL]: () => {
        heard += 1;
      },
    });
    const isHeard = async (): Promise<boolean> => {
      await committing.query("NOTIFY kanalog");
      return heard > 0;
    };
    await until(isHeard, "the first notice");
    line.cut();
    line.mend();
    heard = 0;
    await until(isHeard, "a notice after the cut");
    await listening.stop();
    const connections = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'test'`;
    const isGone = async () => (await committing.query(connections)).rows.length === 0;
    await until(isGone, "the end of the connection");
    await committing.end();
    await line.close();
  },
);
