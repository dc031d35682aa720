/**
 * Answers per second with and without billing, in turns of one run: `bun test/bench/billing.ts [rounds]`.
 * "Unbilled" is the same server without counting requests, "flushed" the same with KANALOG_DURABLE=full.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/app/app.ts";
import { importFile } from "../../src/catalog/imports/import-file.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import { load } from "./peers/client/load.ts";
import { median } from "./peers/statistics.ts";

const CONNECTIONS = 50;
const ROUND_S = 3;

if (process.argv[2] === "serve") await serve(process.argv[3] ?? "", process.argv[4] ?? "");
else await compare(Number(process.argv[2] ?? 3));

async function serve(databasePath: string, kind: string): Promise<void> {
  const durable = kind === "flushed" ? "full" : "usual";
  const config = readConfig({
    ...{ KANALOG_DB: databasePath, KANALOG_PORT: "0", KANALOG_DURABLE: durable },
  });
  const app = await createApp(config, systemPorts({ ...config, logLevel: "error" }));
  if (kind === "unbilled") {
    app.services.limits.charge = () =>
      Promise.resolve({ allowed: true, used: 0, isOutdated: false, at: 0 });
    app.services.limits.record = () => {};
  }
  console.log(app.listen());
}

async function compare(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-bench-"));
  try {
    const key = await fill(join(folder, "bench.db"), folder);
    const rates = { billed: [] as number[], unbilled: [] as number[], flushed: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      for (const kind of ["billed", "unbilled", "flushed"] as const) {
        rates[kind].push(await measure(join(folder, "bench.db"), kind, key));
      }
    }
    const [billed, unbilled] = [median(rates.billed), median(rates.unbilled)];
    const flushed = median(rates.flushed);
    console.log(`billed:   ${rates.billed.join(", ")} answers/s, median ${billed}`);
    console.log(`unbilled: ${rates.unbilled.join(", ")} answers/s, median ${unbilled}`);
    console.log(`flushed:  ${rates.flushed.join(", ")} answers/s, median ${flushed}`);
    console.log(`flushed / billed: ${(flushed / billed).toFixed(2)}`);
    console.log(`billed / unbilled: ${(billed / unbilled).toFixed(2)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fill(databasePath: string, folder: string): Promise<string> {
  const config = readConfig({ KANALOG_DB: databasePath });
  const app = await createApp(config, systemPorts({ ...config, logLevel: "error" }));
  const { db, clock, accounts, keys } = app.domains;
  const channels = join(folder, "channels.csv");
  const rows = Array.from({ length: 1000 }, (_, index) => `${index + 1},Канал ${index},${index}`);
  writeFileSync(channels, ["id,title,subscribers", ...rows].join("\n"));
  await importFile(db, clock, "channels", channels);
  await accounts.changePlan(
    "profi",
    {
      requestsPerSecond: 1_000_000,
      requestsPerPeriod: 1_000_000_000,
    },
    COMMAND_LINE,
  );
  const organization = await accounts.createOrganization(
    { name: "Bench", plan: "profi" },
    COMMAND_LINE,
  );
  const member = await accounts.addMember(
    {
      organizationId: organization.id,
      email: "bench@example.com",
      name: "",
      role: "owner",
    },
    COMMAND_LINE,
  );
  const created = { memberId: member.id, name: "", access: "read_only", expiresAt: null } as const;
  const { token } = await keys.createKey(created, COMMAND_LINE);
  await app.close();
  return token;
}

async function measure(databasePath: string, kind: string, key: string): Promise<number> {
  const server = Bun.spawn([process.execPath, import.meta.path, "serve", databasePath, kind], {
    stdout: "pipe",
  });
  const { value } = await server.stdout.getReader().read();
  const address = new TextDecoder().decode(value).trim();
  const headers = { authorization: `Bearer ${key}` };
  const target = { address, headers, paths: ["/v1/msgr/channels/7/"] };
  await load(target, { connections: CONNECTIONS, seconds: 1 });
  const { perSecond } = await load(target, { connections: CONNECTIONS, seconds: ROUND_S });
  server.kill();
  await server.exited;
  return Math.round(perSecond);
}
