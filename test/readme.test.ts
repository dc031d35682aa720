import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { IMPORT_KIND_NAMES, importKinds } from "../src/catalog/imports/kinds/import-kinds.ts";
import { NEEDED, SETTINGS } from "../src/config.ts";
import { startAppliance } from "./support/appliance.ts";
import { guideDocuments, linksOf, ROOT, readDocument } from "./support/documents.ts";
import { fakePorts } from "./support/fake-ports.ts";

/** Compares what the README and the guides claim with the program. */
const text = (path: string): string => readDocument(path).text;

test("the README is short, links to every guide and shows a picture", () => {
  const readme = readDocument("README.md");
  expect(readme.text.trimEnd().split("\n").length).toBeLessThanOrEqual(160);
  const links = linksOf(readme);
  for (const { path } of guideDocuments) expect(links).toContain(path);
  const [picture = ""] = links.filter((link) => link.endsWith(".png"));
  expect(existsSync(join(ROOT, picture))).toBe(true);
  expect(statSync(join(ROOT, picture)).size).toBeLessThanOrEqual(200_000);
});

test("the table of settings is that of the program", () => {
  const tableOf = (isNeeded: boolean) => {
    const rows = Object.entries(SETTINGS)
      .filter(([name]) => NEEDED.has(name) === isNeeded)
      .map(
        ([name, { fallback, doc }]) =>
          `| \`${name}\` | ${fallback ? `\`${fallback}\`` : ""} | ${doc} |`,
      );
    return ["| variable | default | meaning |", "|---|---|---|", ...rows].join("\n");
  };
  const table = `${tableOf(true)}\n\n### Settings for special cases\n\n${tableOf(false)}`;
  const [, found] =
    /<!-- settings: [^>]*-->\n([\s\S]*?)\n<!-- \/settings -->/.exec(
      text("src/upkeep/operating.md"),
    ) ?? [];
  expect(found).toBe(table);
});

test("the columns of imports are those of the program", () => {
  const guide = text("src/catalog/imports/importing.md");
  for (const name of IMPORT_KIND_NAMES) {
    const columns = Object.keys(importKinds[name].columns).join(", ");
    expect(guide).toContain(`| \`${name}\` | \`${columns}\` |`);
  }
});

test("the plans are those of a new database", async () => {
  const guide = text("src/customers/customers.md");
  const appliance = await startAppliance({}, fakePorts(), { ratesAsShipped: true });
  for (const plan of await appliance.app.domains.accounts.plans()) {
    const history = plan.historyDays === null ? "all" : `${plan.historyDays} days`;
    const webhooks =
      plan.webhooks === 0
        ? "none"
        : `${plan.webhooks} x ${plan.webhookChannels.toLocaleString("en-US")}`;
    expect(guide).toContain(
      `| \`${plan.code}\` | ${plan.requestsPerSecond} | ` +
        `${plan.requestsPerPeriod.toLocaleString("en-US")} | ${plan.posts ? "yes" : "no"} | ${history} | ${webhooks} |`,
    );
  }
  await appliance.close();
});

test("there is a reason for every package", () => {
  const guide = text("src/app/building.md");
  const { dependencies, devDependencies } = JSON.parse(text("package.json")) as Record<
    "dependencies" | "devDependencies",
    Record<string, string>
  >;
  for (const name of Object.keys(dependencies))
    expect(guide.includes(`\`${name}\``), name).toBe(true);
  for (const name of Object.keys(devDependencies)) {
    if (!name.startsWith("@types/")) expect(guide.includes(`\`${name}\``), name).toBe(true);
  }
});
