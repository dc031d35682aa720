import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { kanalog } from "../contenders/kanalog.ts";
import { writeSpreadPosts } from "../data/spread-posts.ts";
import type { Part } from "../run.ts";

const POSTS = 30_000;
const POSTS_QUICK = 2_000;
/** Until posts stand by month; then 8. */
const MOST = 16;

/** Bytes that an import of a day's posts, each of a random channel, writes to the log, compared with their size. */
export const spreadPosts: Part = async ({ database, options }) => {
  const folder = mkdtempSync(join(dirname(database), "spread-"));
  const [file, rows] = [join(folder, "kanalog.db"), join(folder, "posts.csv")];
  const posts = options.isQuick ? POSTS_QUICK : POSTS;
  try {
    copyFileSync(database, file, constants.COPYFILE_FICLONE);
    const own = writeSpreadPosts(rows, options.channels, posts);
    const logged = await loggedBy(file, () => kanalog(file, "import", "posts", rows));
    return [
      {
        part: "spread-posts",
        name: "log of posts spread over all channels / their own size",
        value: logged / own,
        unit: "",
        most: MOST,
        note: `${posts} posts; ${Math.round(logged / posts)} to ${Math.round(own / posts)} bytes a post`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Size of the log after the work. A reader keeps the log from being restarted meanwhile. */
async function loggedBy(database: string, work: () => Promise<unknown>): Promise<number> {
  const reader = new BetterSqlite3(database);
  try {
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM meta").all();
    await work();
    return statSync(`${database}-wal`).size;
  } finally {
    reader.close();
  }
}
