/**
 * Ten questions that people ask about channel data, answered from the sample: with the specification's methods
 * only, and with those made for them; ten more about time, with their calls; then five conversations of an assistant,
 * with the tools in order. Prints calls, units, characters of the answers and milliseconds of each:
 * `bun test/bench/questions.ts`.
 */
import { importFile } from "../../src/catalog/imports/import-file.ts";
import { computeMetrics } from "../../src/catalog/metrics/compute-metrics.ts";
import { makeTrends } from "../../src/catalog/trends/make-trends.ts";
import { startAppliance } from "../support/appliance.ts";
import { imported } from "../support/expectations.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { CONVERSATIONS } from "./questions/conversations.ts";
import { createCountingClient, type Totals } from "./questions/counting-client.ts";
import { QUESTIONS_OVER_TIME } from "./questions/over-time.ts";
import { QUESTIONS } from "./questions/questions.ts";

/** The sample's last day. */
const NOW = "2024-12-05T12:00:00+03:00";
const SAMPLE = new URL("../../data/sample/", import.meta.url).pathname;
/** The last round counts, because nothing is compiled yet in the first. */
const ROUNDS = 3;

const ports = fakePorts(NOW);
const appliance = await startAppliance({}, ports);
const { db } = appliance.app.domains;
for (const [kind, file] of [
  ["channels", "channels.ndjson"],
  ["posts", "posts.ndjson"],
  ["stats", "stats.csv"],
] as const) {
  await importFile(db, ports.clock, kind, SAMPLE + file);
}
// Seven channels of Moscow and elsewhere that write about the same, so that something rises.
const fresh = Array.from({ length: 7 }, (_, at) => ({
  ...{ channel: at + 1, msgr_post_id: 900_000 + at, text: "Наводнение в Подмосковье", views: at },
  published_at: `2024-12-05T0${at + 1}:10:00+03:00`,
}));
await imported(appliance, "posts", fresh);
await computeMetrics(db, ports.clock);
await makeTrends(db, ports.clock);
const { key } = await appliance.customer({ access: "read_write" });

const figures = ({ calls, units, characters, ms }: Totals): string =>
  `${calls} calls, ${units} units, ${characters.toLocaleString("en")} characters, ${ms.toFixed(1)} ms`;

for (const { question, before, after } of QUESTIONS) {
  let texts = { before: "", after: "" };
  for (let round = 0; round < ROUNDS; round++) {
    const [former, present] = [
      createCountingClient(appliance, key),
      createCountingClient(appliance, key),
    ];
    await before(former);
    await after(present);
    texts = { before: figures(former.totals()), after: figures(present.totals()) };
  }
  console.log(`${question}\n  before: ${texts.before}\n  after:  ${texts.after}`);
}

for (const [question, ...calls] of QUESTIONS_OVER_TIME) {
  for (const call of calls) {
    let [text, found] = ["", ""];
    for (let round = 0; round < ROUNDS; round++) {
      const client = createCountingClient(appliance, key);
      const { results, periods, posts } = await client.ask(call);
      found = `${(results ?? periods)?.length ?? posts} found`;
      text = figures(client.totals());
    }
    console.log(`${question}\n  /v1/msgr/${call}\n  ${text}, ${found}`);
  }
}

for (const { question, talk } of CONVERSATIONS) {
  const client = createCountingClient(appliance, key);
  await talk(client);
  console.log(`${question}\n  ${client.tools().join(" > ")}\n  ${figures(client.totals())}`);
}
await appliance.close();
