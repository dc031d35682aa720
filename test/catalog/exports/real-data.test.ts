import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { IMPORT_KIND_NAMES } from "../../../src/catalog/imports/kinds/import-kinds.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { answersOf } from "../../support/exporting.ts";
import { createMachine, type Machine } from "../../support/machine.ts";
import { seededRandom } from "../../support/webhook-journey.ts";

/** An optional folder with `channels.csv`, `stats.csv` and `posts.ndjson` of real channels. */
const FOLDER = process.env["KANALOG_TEST_REAL"] ?? "";
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? 1);
const REQUESTS = 500;
/** The guide's order: days after the posts from which they are derived. */
const IN_ORDER = [...IMPORT_KIND_NAMES].sort(
  (a, b) => Number(a === "stats") - Number(b === "stats"),
);

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const at = (name: string) => ({ environment: { KANALOG_DB: machine.path(name) } });

async function run(name: string, ...words: string[]): Promise<void> {
  const { exitCode, notes } = await machine.run(words, at(name));
  expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
}

/** Requests to every method of the catalog, about existing channels, words and posts. */
function requests({ app: { domains } }: Appliance): string[] {
  const chance = seededRandom(SEED);
  const oneOf = <Item>(list: readonly Item[]): Item =>
    list[Math.floor(chance() * list.length)] as Item;
  const rows = <Row>(sql: string): Row[] => domains.db.prepare<Row>(sql).all();
  const channels = rows<{ id: number; handle: string; title: string; category: string }>(
    "SELECT id, handle, title, category FROM channel_cards WHERE handle IS NOT NULL",
  );
  const posts = rows<{ id: number; channel: number }>(
    "SELECT id, channel_id AS channel FROM posts",
  );
  const days = rows<{ channel: number; first: string; last: string }>(
    `SELECT channel_id AS channel, date(86400 * min(day), 'unixepoch') AS first,
       date(86400 * max(day), 'unixepoch') AS last
     FROM daily_statistics GROUP BY channel_id`,
  );
  const piece = (text: string) => [...text].slice(0, 3 + Math.floor(chance() * 8)).join("");
  const query = (given: Record<string, string>) => new URLSearchParams(given).toString();
  const orderings = ["-subscribers", "-quality", "-citation", "-last_post_at"];
  const make = [
    () => `channels/?${query({ q: piece(oneOf(channels).title), limit: "20" })}`,
    () => `channels/?${query({ category: oneOf(channels).category, ordering: oneOf(orderings) })}`,
    () => `channels/?${query({ subscribers_min: String(Math.floor(chance() * 200_000)) })}`,
    () => `channels/?ids=${Array.from({ length: 20 }, () => oneOf(channels).id)}`,
    () => `channels/${oneOf(channels).id}/`,
    () => `channels/${oneOf(channels).handle}/`,
    () => `channels/resolve/?${query({ q: `https://t.me/${oneOf(channels).handle}/7` })}`,
    () => `channels/${oneOf(posts).channel}/posts/?${query({ limit: oneOf(["1", "7", "100"]) })}`,
    () => `posts/${oneOf(posts).id}/`,
    () => {
      const { channel, first, last } = oneOf(days);
      return `stats/daily/?channels=${channel}&from=${first}&to=${last}`;
    },
    () => oneOf(["categories/", "territories/"]),
  ];
  return Array.from({ length: REQUESTS }, () => oneOf(make)());
}

for (const format of ["csv", "ndjson"]) {
  test.skipIf(!existsSync(join(FOLDER, "channels.csv")))(
    `real channels, days and posts exported as ${format} give an empty appliance the same answers`,
    async () => {
      for (const file of ["channels.csv", "posts.ndjson", "stats.csv"]) {
        await run("source.db", "import", file.split(".")[0] ?? "", join(FOLDER, file));
      }
      for (const kind of IN_ORDER) {
        const file = machine.path(`${kind}.${format}`);
        await run("source.db", "export", kind, file);
        const isDirectory = kind === "categories" || kind === "territories";
        await run("copy.db", "import", kind, file, ...(isDirectory ? ["--replace"] : []));
        await run("copy.db", "export", kind, `${file}.gz`);
        const again = Bun.gunzipSync(await Bun.file(`${file}.gz`).bytes());
        expect(Buffer.from(again).equals(await Bun.file(file).bytes()), kind).toBe(true);
      }
      for (const name of ["source.db", "copy.db"]) await run(name, "recount");
      const [source, copy] = [
        await startAppliance(at("source.db").environment),
        await startAppliance(at("copy.db").environment),
      ];
      const paths = requests(source);
      const statuses: Record<number, number> = {};
      for (const path of paths) {
        const answers = await answersOf(source, path);
        expect(await answersOf(copy, path), path).toEqual(answers);
        const { status } = answers[0] ?? { status: 0 };
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      console.info(`${paths.length} requests, seed ${SEED}, by status`, statuses);
      expect(statuses[200] ?? 0).toBeGreaterThan(0.9 * REQUESTS);
      await Promise.all([source.close(), copy.close()]);
    },
  );
}
