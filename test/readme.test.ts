import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { IMPORT_KIND_NAMES, importKinds } from "../src/catalog/imports/import-kinds.ts";
import { SETTINGS } from "../src/config.ts";
import { startAppliance } from "./support/appliance.ts";
import { fakePorts } from "./support/fake-ports.ts";

const root = new URL("../", import.meta.url).pathname;
const readme = readFileSync(`${root}README.md`, "utf8");

test("the README's table of settings is that of the program", () => {
  const rows = Object.entries(SETTINGS).map(([name, { fallback, doc }]) => {
    return `| \`${name}\` | ${fallback ? `\`${fallback}\`` : ""} | ${doc} |`;
  });
  const table = ["| variable | default | meaning |", "|---|---|---|", ...rows].join("\n");
  const [, found] = /<!-- settings: [^>]*-->\n([\s\S]*?)\n<!-- \/settings -->/.exec(readme) ?? [];
  expect(found).toBe(table);
});

test("the README's columns of imports are those of the program", () => {
  for (const name of IMPORT_KIND_NAMES) {
    const columns = Object.keys(importKinds[name].columns).join(", ");
    expect(readme).toContain(`| \`${name}\` | \`${columns}\` |`);
  }
});

test("the README's plans are those of a new database", async () => {
  const appliance = await startAppliance({}, fakePorts(), { ratesAsShipped: true });
  for (const plan of appliance.app.domains.accounts.plans()) {
    const history = plan.historyDays === null ? "all" : `${plan.historyDays} days`;
    const webhooks =
      plan.webhooks === 0
        ? "none"
        : `${plan.webhooks} x ${plan.webhookChannels.toLocaleString("en-US")}`;
    expect(readme).toContain(
      `| \`${plan.code}\` | ${plan.requestsPerSecond} | ` +
        `${plan.requestsPerPeriod.toLocaleString("en-US")} | ${plan.posts ? "yes" : "no"} | ${history} | ${webhooks} |`,
    );
  }
  await appliance.close();
});

test("the README gives a reason for every package", () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(`${root}package.json`, "utf8"),
  ) as Record<"dependencies" | "devDependencies", Record<string, string>>;
  for (const name of Object.keys(dependencies))
    expect(readme.includes(`\`${name}\``), name).toBe(true);
  for (const name of Object.keys(devDependencies)) {
    if (!name.startsWith("@types/")) expect(readme.includes(`\`${name}\``), name).toBe(true);
  }
});
