import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import dashboard from "../../src/packaging/grafana-dashboard.json";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { readDocument } from "../support/documents.ts";
import { SCRAPED } from "../support/scrape.ts";

/** Compares the dashboard and the alert rules with what `/metrics` has. */
const RULES = join(import.meta.dir, "../../src/packaging/prometheus-rules.yaml");
const { groups } = Bun.YAML.parse(readFileSync(RULES, "utf8")) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const targets = dashboard.panels.flatMap((panel) => panel.targets);
const expressions = [...rules.map(({ expr }) => expr), ...targets.map(({ expr }) => expr)];

/** Not there until something is configured, as the guide says. */
const ABSENT_AT_FIRST = /^kanalog_(?:backup_last|cluster_lag|source)_/;

let appliance: Appliance;
let types: Map<string, string>;
beforeAll(async () => {
  appliance = await startAppliance(SCRAPED);
  const headers = { "x-forwarded-for": "127.0.0.1" };
  const { body } = await appliance.request("/metrics", { headers });
  types = new Map(
    [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
});
afterAll(() => appliance.close());

test("every metric that they use exists, and histograms are used by their buckets", () => {
  const guide = readDocument("src/upkeep/operating.md").text;
  const used = new Set(
    expressions.flatMap((text) => text.match(/\b(?:kanalog|process)_\w+/g) ?? []),
  );
  expect(used.size).toBeGreaterThan(25);
  for (const name of used) {
    const metric = name.replace(/_bucket$/, "");
    expect(guide, metric).toContain(`\`${metric}\``);
    if (ABSENT_AT_FIRST.test(metric)) continue;
    expect(types.get(metric), metric).toBeDefined();
    expect(types.get(metric) === "histogram", metric).toBe(name.endsWith("_bucket"));
  }
});

test("every label that they select by or show is one of the guide's", () => {
  const guide = readDocument("src/upkeep/operating.md").text;
  const texts = [
    ...rules.map(({ annotations }) => annotations.summary),
    ...targets.map(({ legendFormat }) => legendFormat),
  ];
  const labels = new Set([
    ...expressions.flatMap((text) => [...text.matchAll(/[{,] ?(\w+)=/g)].map(([, label]) => label)),
    ...expressions.flatMap((text) =>
      [...text.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = ""]) => list.split(", ")),
    ),
    ...texts.flatMap((text) =>
      [...text.matchAll(/\{\{(?: \$labels\.)?(\w+) ?\}\}/g)].map(([, label]) => label),
    ),
  ]);
  // Those of Prometheus itself, and of histograms.
  for (const known of ["instance", "le"]) labels.delete(known);
  expect([...labels].filter((label) => !guide.includes(`\`${label}\``))).toEqual([]);
  expect(labels).toContain("door");
});

test.skipIf(Bun.which("promtool") === null)("promtool finds nothing wrong with the rules", () => {
  const { exitCode, stderr } = Bun.spawnSync(["promtool", "check", "rules", RULES]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
});
