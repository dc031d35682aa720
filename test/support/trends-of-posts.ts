import { foldWord, stemOf } from "../../src/catalog/post-search/stems.ts";
import { makeTrends } from "../../src/catalog/trends/make-trends.ts";
import { readMade } from "../../src/catalog/trends/trends.store.ts";
import { type Rising, risingIn } from "../../src/catalog/trends/trends.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { fakePorts } from "./fake-ports.ts";
import { type ModelPost, trendsModel } from "./trends-model.ts";

const DAY_MS = 24 * 3_600_000;
const LINK = /(?:https?:\/\/|www\.|\b(?:t|telegram)\.me\/|\bmax\.ru\/)\S*/giu;
const HANDLE = /(?<![\p{L}\p{N}_])@[\p{L}\p{N}_]+/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]*/gu;
const JOINS = [" ", "\u00a0", "-"];

/** Words of a text and pairs of neighbouring ones, by regular expressions; only their lemmas are the program's. */
function termsOf(text: string): Set<string> {
  const read = text.replace(LINK, "\n").replace(HANDLE, "\n");
  const terms = new Set<string>();
  let before: { stem: string; end: number } | null = null;
  for (const { index, 0: raw } of read.matchAll(WORD)) {
    const form = foldWord(raw);
    if (form === null || form.length < 3 || /^\p{N}/u.test(form)) {
      before = null;
      continue;
    }
    const stem = stemOf(form);
    terms.add(stem);
    if (before !== null && JOINS.includes(read.slice(before.end, index))) {
      terms.add(`${before.stem} ${stem}`);
    }
    before = { stem, end: index + raw.length };
  }
  return terms;
}

/** Those in which words are sought. */
const WINDOWS = [6, 24];

/** What rose on a day in some hours, as Kanalog and as the model say. */
export interface Compared {
  day: string;
  hours: number;
  found: Rising[];
  model: ReturnType<typeof trendsModel>;
}

/** Compares the trends on the evening of each day that has posts with the model's. @param load imports channels and posts */
export async function* trendsOfPosts(load: (appliance: Appliance) => Promise<unknown>) {
  const lastDay = fakePorts("2026-11-20T00:00:00+03:00");
  const appliance = await startAppliance({}, lastDay);
  try {
    const { db } = appliance.app.domains;
    const { clock } = appliance.ports;
    await load(appliance);
    const rows = db
      .prepare<{ channel: number; at: number; views: number; text: string }>(
        `SELECT channel_id AS channel, published_at AS at, views, text FROM posts
         ORDER BY published_at`,
      )
      .all();
    const posts: ModelPost[] = rows.map(({ text, ...post }) => ({ ...post, terms: termsOf(text) }));
    const [first = 0, last = 0] = [posts[0]?.at, posts.at(-1)?.at];
    const evening = Math.ceil(first / DAY_MS) * DAY_MS - 3 * 3_600_000 - 1;
    for (let now = evening; now < last + DAY_MS; now += DAY_MS) {
      const then = { ...clock, now: () => now, sleep: async () => {} };
      await makeTrends(db, then);
      const made = readMade(db);
      if (made === null) throw new Error("nothing was made");
      for (const hours of WINDOWS) {
        const compared: Compared = {
          day: new Date(now).toISOString().slice(0, 10),
          hours,
          found: risingIn(made, hours, null),
          model: trendsModel(posts, { now, hours }),
        };
        yield compared;
      }
    }
  } finally {
    await appliance.close();
  }
}
