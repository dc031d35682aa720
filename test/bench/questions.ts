/**
 * Ten questions that people ask of channel data, asked over the sample: with the specification's methods alone, and
 * with those that answer them; then five conversations of an assistant with the tools in order. What each takes in
 * calls, units, characters of the answers and milliseconds: `bun test/bench/questions.ts`.
 */
import { importFile } from "../../src/catalog/imports/import-file.ts";
import { computeMetrics } from "../../src/catalog/metrics/compute-metrics.ts";
import { startAppliance } from "../support/appliance.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { CONVERSATIONS } from "./questions/conversations.ts";
import { QUESTIONS } from "./questions/questions.ts";
import { createTeller, type Told } from "./questions/teller.ts";

/** The sample's last day. */
const NOW = "2024-12-05T12:00:00+03:00";
const SAMPLE = new URL("../../data/sample/", import.meta.url).pathname;
/** The first answers take longer, since nothing was compiled yet. */
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
await computeMetrics(db, ports.clock);
const { key } = await appliance.customer({ access: "read_write" });

const figures = ({ calls, units, characters, ms }: Told): string =>
  `${calls} calls, ${units} units, ${characters.toLocaleString("en")} characters, ${ms.toFixed(1)} ms`;

for (const { question, before, after } of QUESTIONS) {
  let told = { before: "", after: "" };
  for (let round = 0; round < ROUNDS; round++) {
    const [former, present] = [createTeller(appliance, key), createTeller(appliance, key)];
    await before(former);
    await after(present);
    told = { before: figures(former.told()), after: figures(present.told()) };
  }
  console.log(`${question}\n  before: ${told.before}\n  after:  ${told.after}`);
}

for (const { question, talk } of CONVERSATIONS) {
  const teller = createTeller(appliance, key);
  await talk(teller);
  console.log(`${question}\n  ${teller.tools().join(" > ")}\n  ${figures(teller.told())}`);
}
await appliance.close();
