import { runTests } from "./bun-test.ts";

// Runs campaigns: tests that are too long for the check, because they need many processes, a browser or a
// cluster, or repeat something. `bun run campaign crash sources` runs these two at length, `bun run campaign
// --small` all of them briefly, as CI does.

interface Campaign {
  files: readonly string[];
  /** Set in every run. */
  environment?: Record<string, string>;
  /** Set in addition for a run at length, unless the caller has set another value. */
  atLength?: Record<string, string>;
}

const CAMPAIGNS: Record<string, Campaign> = {
  crash: {
    files: [
      "journeys/crashes.campaign.ts",
      "journeys/removals-killed.campaign.ts",
      "journeys/months-killed.campaign.ts",
      "journeys/stuck-workers.campaign.ts",
    ],
    atLength: { KANALOG_TEST_KILLS: "1000" },
  },
  sources: {
    files: ["journeys/sources.campaign.ts", "journeys/source-nodes.campaign.ts"],
    atLength: { KANALOG_TEST_KILLS: "50" },
  },
  buying: {
    files: ["journeys/buying.campaign.ts"],
    atLength: { KANALOG_TEST_KILLS: "200" },
  },
  hostile: {
    files: [
      "journeys/hostile-requests.campaign.ts",
      "journeys/hostile-visits.campaign.ts",
      "doors/site/hostile-forms.campaign.ts",
      "doors/site/strangers.campaign.ts",
      "journeys/raw-sockets.test.ts",
      "journeys/bodies.campaign.ts",
      "journeys/uploads.campaign.ts",
    ],
    environment: { KANALOG_TEST_SLOW: "1" },
    atLength: {
      KANALOG_TEST_REQUESTS: "1000000",
      KANALOG_TEST_REST_S: "180",
      KANALOG_TEST_IDLE: "10000",
    },
  },
  properties: {
    files: [
      "catalog/search/catalog-ways.campaign.ts",
      "catalog/search/search.property.test.ts",
      "catalog/post-search/exactness.property.test.ts",
    ],
    atLength: { KANALOG_TEST_PROPERTY_S: "60" },
  },
  neighbours: {
    files: [
      "journeys/neighbours.campaign.ts",
      "journeys/webhooks-fairness.campaign.ts",
      "journeys/log-growth.campaign.ts",
    ],
    atLength: { KANALOG_TEST_SLOW: "1" },
  },
  pages: {
    files: [
      "doors/site/browser.campaign.ts",
      "doors/site/browser-journeys.campaign.ts",
      "doors/site/browser-explorer.campaign.ts",
      "doors/site/buying.campaign.ts",
      "doors/http/docs/docs.campaign.ts",
      "doors/http/docs/methods-page.campaign.ts",
      "doors/mcp/apps.campaign.ts",
      "doors/mcp/registry.test.ts",
      "journeys/living-catalog.campaign.ts",
    ],
    environment: { KANALOG_TEST_SLOW: "1" },
  },
  cluster: {
    files: [
      "journeys/cluster.campaign.ts",
      "journeys/cluster-patroni.campaign.ts",
      "journeys/cluster-nodes.campaign.ts",
      "journeys/cluster-push.campaign.ts",
      "journeys/cluster-fences.campaign.ts",
      "cluster/commands.campaign.ts",
      "cluster/doctor.campaign.ts",
      "cluster/guide.campaign.ts",
    ],
    // Of each of three kinds: 30 faults, and 1,002 at length.
    environment: { KANALOG_TEST_KILLS: "10" },
    atLength: { KANALOG_TEST_KILLS: "334", KANALOG_TEST_PATRONI: "1" },
  },
  release: {
    files: [
      "packaging/install.campaign.ts",
      "packaging/release.campaign.ts",
      "packaging/upgrade.campaign.ts",
      "packaging/image.campaign.ts",
      "packaging/pack.campaign.ts",
    ],
    atLength: { KANALOG_TEST_KILLS: "20" },
  },
  conformance: {
    files: ["conformance/conformance.campaign.ts", "conformance/kit.campaign.ts"],
  },
  processes: {
    files: [
      "doors/cli/database/export.campaign.ts",
      "faults/broken-file.campaign.ts",
      "faults/dictionary.campaign.ts",
      "journeys/known-networks.campaign.ts",
      "journeys/secrets.campaign.ts",
      "journeys/usage-beside-others.campaign.ts",
      "journeys/webhooks-stop.campaign.ts",
      "journeys/webhooks-two-processes.campaign.ts",
      "journeys/workers.campaign.ts",
      "push/webhooks/two-processes.campaign.ts",
      "upkeep/retention/year-of-nights.campaign.ts",
    ],
  },
  nodes: {
    files: [
      "contract/fields.test.ts",
      "contract/isolation.test.ts",
      "contract/routes.test.ts",
      "push/webhooks/events.test.ts",
      "push/webhooks/alerts.test.ts",
    ],
    environment: { KANALOG_TEST_NODES: "2" },
  },
};

const words = process.argv.slice(2);
const isSmall = words.includes("--small");
const wanted = words.filter((word) => word !== "--small");
const unknown = wanted.filter((name) => CAMPAIGNS[name] === undefined);
if (unknown.length > 0 || words.length === 0) {
  console.error(`Give --small or names of campaigns: ${Object.keys(CAMPAIGNS).join(", ")}.`);
  process.exit(1);
}
const failed: string[] = [];
for (const [name, { files, environment, atLength }] of Object.entries(CAMPAIGNS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.warn(`Campaign ${name}${isSmall ? ", small" : ""}:`);
  const paths = files.map((file) => `./test/${file}`);
  const exitCode = await runTests(paths, { ...environment, ...(!isSmall && atLength) });
  if (exitCode !== 0) failed.push(`${name} (exit code ${exitCode})`);
}
if (failed.length > 0) console.error(`failed: campaigns ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
