/**
 * What rose on each day of some posts, beside what a plain count of them says:
 * `bun test/bench/trends-of-posts.ts --channels FILE --posts FILE [--most 5]`. Prints the days' words with the most
 * surprising first, and every day on which the two differ.
 */

import { parseArgs } from "node:util";
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

let [days, rising, different] = [0, 0, 0];
for await (const { day, found, model } of trendsOfPosts(channels, posts)) {
  days += 1;
  rising += found.length;
  const rows = found.map(({ words: _, best: __, ...row }) => row);
  if (!Bun.deepEquals(rows, model)) {
    different += 1;
    console.log(`${day} DIFFERS: ${JSON.stringify({ rows, model })}`);
  }
  for (const { words, channels, channels_usual, posts } of found.slice(0, Number(values.most))) {
    console.log(
      `${day}  ${words}: ${channels} channels, usually ${channels_usual}, ${posts} posts`,
    );
  }
}
console.log(`${days} days, ${rising} words and pairs that rose, ${different} days differ`);
if (different > 0) process.exitCode = 1;
