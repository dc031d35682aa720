import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { startAppliance } from "../../support/appliance.ts";
import { expectOk } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";

/** Compares words over time with a plain scan of the sample's posts, which people wrote. */

const SAMPLE = new URL("../../../data/sample/", import.meta.url).pathname;
const MOSCOW_MS = 3 * 3_600_000;
/** Every so many of the forms that stand in at least two posts. */
const STEP = 37;

interface Post {
  channel: number;
  text?: string;
  views?: number;
  published_at: string;
}

test("exact forms in posts that people wrote are those of a plain scan, by month and by channel", async () => {
  const posts = readFileSync(`${SAMPLE}posts.ndjson`, "utf8").trim().split("\n");
  const all = posts.map((line) => JSON.parse(line) as Post);
  const last = new Date(Math.max(...all.map((post) => Date.parse(post.published_at))) + MOSCOW_MS);
  const to = last.toISOString().slice(0, 10);
  const from = new Date(last.getTime() - 365 * 86_400_000).toISOString().slice(0, 10);
  const dayOf = (post: Post) =>
    new Date(Date.parse(post.published_at) + MOSCOW_MS).toISOString().slice(0, 10);
  const byForm = new Map<string, Set<Post>>();
  for (const post of all.filter((one) => dayOf(one) >= from)) {
    for (const [form] of (post.text ?? "").toLowerCase().matchAll(/[а-яё]+/g)) {
      const folded = form.replaceAll("ё", "е");
      if (folded.length > 2) byForm.set(folded, (byForm.get(folded) ?? new Set()).add(post));
    }
  }
  const appliance = await startAppliance({}, fakePorts(`${to}T23:59:00+03:00`));
  try {
    const { db } = appliance.app.domains;
    for (const [kind, file] of [
      ["channels", "channels.ndjson"],
      ["posts", "posts.ndjson"],
    ] as const) {
      await importFile(db, appliance.ports.clock, kind, SAMPLE + file);
    }
    const forms = [...byForm]
      .filter(([, some]) => some.size > 1)
      .filter((_, at) => at % STEP === 0);
    expect(forms.length).toBeGreaterThan(50);
    for (const [form, found] of forms) {
      const asked = new URLSearchParams({ q: `=${form}`, from, to, group: "month" });
      const { body } = await expectOk(appliance, `/v1/msgr/posts/search/stats/?${asked}`);
      const months = Object.groupBy(found, (post) => dayOf(post).slice(0, 7));
      const told = body.periods.flatMap((one: { from: string; posts: number }) =>
        one.posts === 0 ? [] : [[one.from.slice(0, 7), one.posts]],
      );
      expect([form, told]).toEqual([
        form,
        Object.entries(months)
          .map(([month, some]) => [month, some?.length])
          .sort(),
      ]);
      const views = [...found].flatMap((post) => post.views ?? []);
      expect([form, body.views]).toEqual([
        form,
        views.length === 0 ? null : views.reduce((sum, one) => sum + one, 0),
      ]);
      expect([form, body.channels]).toEqual([form, new Set([...found].map((p) => p.channel)).size]);
      expect(body).toMatchObject({ posts: found.size, sampled: 1, note: null });
    }
  } finally {
    await appliance.close();
  }
});
