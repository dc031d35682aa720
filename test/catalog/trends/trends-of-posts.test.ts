import { expect, test } from "bun:test";
import { trendsOfPosts } from "../../support/trends-of-posts.ts";

const SAMPLE = new URL("../../../data/sample/", import.meta.url).pathname;

test("what rises in posts that people wrote is what a plain count says, on each of their days", async () => {
  let rising = 0;
  for await (const { day, found, model } of trendsOfPosts(
    `${SAMPLE}channels.ndjson`,
    `${SAMPLE}posts.ndjson`,
  )) {
    const rows = found.map(({ words: _, best: __, ...row }) => row);
    expect({ day, rows }).toEqual({ day, rows: model });
    rising += rows.length;
  }
  expect(rising).toBeGreaterThan(20);
});
