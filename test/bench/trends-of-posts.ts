/**
 * What rose on each day of some posts, beside what a plain count of them says:
 * `bun test/bench/trends-of-posts.ts --channels FILE --posts FILE [--most 5]`. Prints the days' words with the most
 * surprising first, and every day on which the two differ.
 */

import { parseArgs } from "node:util";
import { importFile } from "../../src/catalog/imports/import-file.ts";
import type { Appliance } from "../support/appliance.ts";
import { trendsOfPosts } from "../support/trends-of-posts.ts";

const { values } = parseArgs({
  options: {
    channels: { type: "string" },
    posts: { type: "string" },
    most: { type: "string", default: "5" },
  },
});
const { channels, posts } = values;
if (channels === undefined || posts === undefined) throw new Error("give --channels and --posts");

const load = async ({ app, ports: { clock } }: Appliance): Promise<void> => {
  await importFile(app.domains.db, clock, "channels", channels);
  await importFile(app.domains.db, clock, "posts", posts);
};

let [days, rising, different] = [0, 0, 0];
for await (const { day, hours, found, model } of trendsOfPosts(load)) {
  if (hours === 24) days += 1;
  rising += found.length;
  const rows = found.map(({ words: _, best: __, ...row }) => row);
  if (!Bun.deepEquals(rows, model)) {
    different += 1;
    console.log(`${day}, ${hours} hours, DIFFERS: ${JSON.stringify({ rows, model })}`);
  }
  if (hours !== 24) continue;
  for (const { words, channels, channels_usual, posts } of found.slice(0, Number(values.most))) {
    console.log(
      `${day}  ${words}: ${channels} channels, usually ${channels_usual}, ${posts} posts`,
    );
  }
}
console.log(
  `${days} days, ${rising} words and pairs that rose, in 6 or 24 hours, ${different} lists differ`,
);
if (different > 0) process.exitCode = 1;
