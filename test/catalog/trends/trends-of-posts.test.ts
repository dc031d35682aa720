import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { channel, imported } from "../../support/expectations.ts";
import { trendsOfPosts } from "../../support/trends-of-posts.ts";

const SAMPLE = new URL("../../../data/sample/posts.ndjson", import.meta.url).pathname;
/** The sample's are too few for anything to rise. */
const CHANNELS = 60;

test("what rises in posts that people wrote is what a plain count says, on each of their days", async () => {
  const lines = readFileSync(SAMPLE, "utf8").trim().split("\n");
  const posts = lines.map((line, at) => ({ ...JSON.parse(line), channel: 1 + (at % CHANNELS) }));
  const channels = Array.from({ length: CHANNELS }, (_, at) => channel(at + 1));
  let rising = 0;
  for await (const { day, hours, found, model } of trendsOfPosts(async (appliance) => {
    await imported(appliance, "channels", channels);
    await imported(appliance, "posts", posts);
  })) {
    const rows = found.map(({ words: _, best: __, ...row }) => row);
    expect({ day, hours, rows }).toEqual({ day, hours, rows: model });
    rising += rows.length;
  }
  expect(rising).toBeGreaterThan(10);
});
