import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { version } from "../../../package.json";
import { readConfig } from "../../../src/config.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { createMachine } from "../../support/machine.ts";
import { mcpRequests } from "../../support/mcp-requests.ts";
import { DAY_MS, MINUTE_MS, startPushing } from "../../support/pushing.ts";
import { SCRAPED, scrape } from "../../support/scrape.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance(SCRAPED);
});
afterEach(() => appliance.close());

const requests = (door: string, operation: string, status: number): string =>
  `kanalog_requests_total{door="${door}",operation="${operation}",status="${status}"}`;

describe("requests", () => {
  test("are counted by door, operation and status, refused ones too", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const { key } = await appliance.customer();
    const mcp = mcpRequests(appliance, key);
    for (const path of ["/v1/msgr/channels/1/", "/v1/msgr/channels/1/", "/v1/msgr/channels/9/"]) {
      await appliance.request(path, { key });
    }
    await appliance.request("/v1/me/");
    await appliance.request("/v1/me/", { key, method: "DELETE" });
    await appliance.request("/v1/me", { key });
    await mcp.call("msgr_channels_retrieve", { channel: "1" });
    await mcp.call("msgr_channels_retrieve", { channel: "9" });
    await mcp.ask("ping");
    await appliance.request("/account/sign-in/");
    await appliance.request("/account/nothing/");
    await appliance.request("/healthz");
    const samples = await scrape(appliance);
    for (const [name, count] of [
      [requests("rest", "msgr_channels_retrieve", 200), 2],
      [requests("rest", "msgr_channels_retrieve", 404), 1],
      [requests("rest", "me_retrieve", 401), 1],
      [requests("rest", "me_retrieve", 405), 1],
      [requests("rest", "other", 301), 1],
      [requests("mcp", "msgr_channels_retrieve", 200), 1],
      [requests("mcp", "msgr_channels_retrieve", 404), 1],
      [requests("mcp", "mcp", 200), 1],
      [requests("site", "/account/sign-in/", 200), 1],
      [requests("site", "other", 404), 1],
      [requests("public", "/healthz", 200), 1],
    ] as const) {
      expect([name, samples.get(name)]).toEqual([name, count]);
    }
  });

  test("have their durations counted in buckets", async () => {
    const { key } = await appliance.customer();
    for (let count = 0; count < 3; count++) await appliance.request("/v1/me/", { key });
    const samples = await scrape(appliance);
    const duration = (rest: string) =>
      samples.get(
        `kanalog_request_duration_seconds_${rest.replace("}", 'door="rest",operation="me_retrieve"}')}`,
      );
    expect(duration("count{}")).toBe(3);
    expect(duration('bucket{le="0.0001",}')).toBe(3);
    expect(duration('bucket{le="10",}')).toBe(3);
  });

  test("of any path, number or name create no new label: nothing that callers send appears in a sample", async () => {
    const { key } = await appliance.customer();
    const ask = async (text: string): Promise<void> => {
      for (const path of [
        `/v1/msgr/channels/${text}/`,
        `/v1/msgr/posts/${text}/`,
        `/v1/${text}/`,
        `/${text}`,
        `/account/${text}/`,
        `/images/${text}.webp`,
        `/docs/${text}`,
      ]) {
        for (const method of ["GET", "DELETE"]) await appliance.request(path, { key, method });
      }
      const mcp = mcpRequests(appliance, key);
      await mcp.call(text);
      await mcp.ask(text);
    };
    await ask("first");
    await appliance.app.workAfterAnswers();
    const before = [...(await scrape(appliance)).keys()];
    await ask("zzz-1");
    await ask("zzz-2");
    const after = [...(await scrape(appliance)).keys()];
    expect(after.filter((name) => /first|zzz/.test(name))).toEqual([]);
    // The scrape itself is only counted once it is over.
    expect(after.filter((name) => !name.includes('"/metrics"'))).toEqual(before);
  });
});

describe("a scrape", () => {
  test("contains no key, hash, secret or personal address", async () => {
    const { key } = await appliance.customer();
    await appliance.request("/v1/me/", { key });
    const { body } = await appliance.request("/metrics", {
      headers: { "x-forwarded-for": "127.0.0.1" },
    });
    expect(body).not.toMatch(/knl_|whsec_|@|[0-9a-f]{16}|Acme|Ada/);
  });

  test("reports the version, the memory and the event loop's delay", async () => {
    const samples = await scrape(appliance);
    expect(samples.get(`kanalog_info{version="${version}",bun="${Bun.version}"}`)).toBe(1);
    expect(samples.get("process_cpu_seconds_total")).toBe(1.5);
    expect((await scrape(appliance)).get("process_cpu_seconds_total")).toBe(1.5);
    expect(samples.get("process_resident_memory_bytes")).toBe(50_000_000);
    expect(samples.get('kanalog_event_loop_delay_seconds{quantile="1"}')).toBe(0.03);
    expect(samples.get("kanalog_database_up")).toBe(1);
    expect(samples.get("kanalog_database_bytes")).toBeGreaterThan(100_000);
  });

  test("counts the commits of usage and their entries", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const { key } = await appliance.customer();
    await Promise.all([1, 2, 3].map(() => appliance.request("/v1/msgr/channels/1/", { key })));
    const samples = await scrape(appliance);
    expect(samples.get("kanalog_usage_commit_duration_seconds_count")).toBeWithin(1, 4);
    expect(samples.get("kanalog_usage_commit_entries_total")).toBeWithin(1, 4);
    expect(samples.get("kanalog_usage_commit_failures_total")).toBe(0);
  });

  test("reports how long write transactions held the lock, by the name of the work", async () => {
    await appliance.customer();
    const { clock } = appliance.ports;
    const { db } = appliance.app.domains;
    await inTransaction(db, clock, "recount", () => clock.advance(70));
    const samples = await scrape(appliance);
    const bucket = (le: string) =>
      samples.get(`kanalog_write_lock_seconds_bucket{le="${le}",work="recount"}`);
    expect(bucket("0.05")).toBe(0);
    expect(bucket("0.1")).toBe(1);
    expect(samples.get('kanalog_write_lock_seconds_count{work="organization"}')).toBe(1);
  });

  test("counts the runs of jobs, and reports when each last ran and whether it failed", async () => {
    const { clock } = appliance.ports;
    const { scheduler, domains } = appliance.app;
    await scheduler.runDue();
    clock.advance(DAY_MS);
    domains.db.exec("ALTER TABLE usage_days RENAME TO usage_days_before");
    await scheduler.runDue();
    const samples = await scrape(appliance);
    const runs = (job: string, outcome: string) =>
      samples.get(`kanalog_job_runs_total{job="${job}",outcome="${outcome}"}`);
    expect(runs("close-day", "done")).toBe(1);
    expect(runs("close-day", "failed")).toBe(0);
    expect(runs("retention", "failed")).toBe(1);
    expect(samples.get('kanalog_job_last_run_failed{job="retention"}')).toBe(1);
    expect(samples.get('kanalog_job_last_run_failed{job="close-day"}')).toBe(0);
    expect(samples.get('kanalog_job_last_run_timestamp_seconds{job="close-day"}')).toBe(
      clock.now() / 1000,
    );
  });

  test("works while the database does not respond, without what only the database knows", async () => {
    expect((await scrape(appliance)).has("kanalog_mails_waiting")).toBe(true);
    appliance.app.domains.db.close();
    const samples = await scrape(appliance);
    expect(samples.get("kanalog_database_up")).toBe(0);
    expect(samples.has("kanalog_mails_waiting")).toBe(false);
    expect(samples.has("kanalog_database_bytes")).toBe(false);
    expect(samples.get(requests("public", "/metrics", 200))).toBe(1);
  });
});

test("reports when the last daily backup was completed, and nothing if there is none", async () => {
  const name = "kanalog_backup_last_timestamp_seconds";
  const machine = createMachine();
  const other = await startAppliance({ ...SCRAPED, KANALOG_BACKUP_DIR: machine.path("backups") });
  try {
    expect((await scrape(other)).has(name)).toBe(false);
    other.ports.clock.set("2026-11-21T04:00:07+03:00");
    await other.app.scheduler.runNow("backup", COMMAND_LINE);
    await other.app.scheduler.stop();
    const files = readdirSync(machine.path("backups"));
    const file = files.find((one) => one.endsWith(".backup"));
    const { mtimeMs } = statSync(machine.path(`backups/${file}`));
    expect((await scrape(other)).get(name)).toBe(mtimeMs / 1000);
    rmSync(machine.path("backups"), { recursive: true });
    expect((await scrape(other)).has(name)).toBe(false);
  } finally {
    await other.close();
    await machine.leave();
  }
});

test("posts waiting for alerts are counted, with the age of the oldest", async () => {
  const pushing = await startPushing(SCRAPED);
  const { clock } = pushing.appliance.ports;
  const waiting = async () => {
    const samples = await scrape(pushing.appliance);
    return [
      samples.get("kanalog_alert_posts_waiting"),
      samples.get("kanalog_alert_oldest_post_seconds"),
    ];
  };
  try {
    const alert = { name: "A", q: "слово", webhook: pushing.id };
    await pushing.call("POST", "/v1/msgr/alerts/", alert);
    expect(await waiting()).toEqual([0, 0]);
    await pushing.read([1, 2], { channel: 3 });
    clock.advance(30_000);
    expect(await waiting()).toEqual([2, 30]);
    await pushing.pass(MINUTE_MS);
    expect(await waiting()).toEqual([0, 0]);
  } finally {
    await pushing.close();
  }
});

test("webhooks' attempts are counted by outcome, and pending deliveries are reported", async () => {
  const pushing = await startPushing(SCRAPED);
  const { network, clock } = pushing.appliance.ports;
  const samples = () => scrape(pushing.appliance);
  try {
    await pushing.read([1, 2]);
    expect((await samples()).get("kanalog_webhook_posts_waiting")).toBe(2);
    await pushing.pass(MINUTE_MS);
    network.answer = () => ({ status: 500 });
    await pushing.send([3]);
    network.answer = () => ({ fault: "timeout" });
    await pushing.pass(MINUTE_MS);
    const after = await samples();
    const attempts = (outcome: string) =>
      after.get(`kanalog_webhook_attempts_total{outcome="${outcome}"}`);
    expect(attempts("delivered")).toBe(1);
    expect(attempts("refused")).toBe(1);
    expect(attempts("unanswered")).toBe(1);
    expect(after.get("kanalog_webhook_posts_waiting")).toBe(0);
    expect(after.get("kanalog_webhook_deliveries_due")).toBe(0);
    expect(after.get("kanalog_webhook_oldest_due_seconds")).toBe(0);
    // Nothing is attempted while time passes.
    clock.advance(6 * MINUTE_MS);
    const late = await samples();
    expect(late.get("kanalog_webhook_deliveries_due")).toBe(1);
    expect(late.get("kanalog_webhook_oldest_due_seconds")).toBe(60);
  } finally {
    await pushing.close();
  }
});

describe("access to the metrics", () => {
  const CLIENT = "x-forwarded-for";
  const from = async (scraped: Appliance, address: string): Promise<number> => {
    const headers = { [CLIENT]: address };
    const { status, body } = await scraped.request("/metrics", { headers });
    if (status === 404) expect(body).toEqual((await scraped.request("/nothing", { headers })).body);
    return status;
  };

  test("is limited to the loopback unless others are configured; for all others the address does not exist", async () => {
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      expect(await from(appliance, address), address).toBe(200);
    }
    for (const address of ["10.0.0.7", "203.0.113.9", "2001:db8::1", "unknown", ""]) {
      expect(await from(appliance, address), address).toBe(404);
    }
    const allowed = { ...SCRAPED, KANALOG_METRICS_ALLOW: "10.0.0.0/8,2001:db8::/32" };
    const named = await startAppliance(allowed);
    expect(await from(named, "10.0.0.7")).toBe(200);
    expect(await from(named, "2001:db8::1")).toBe(200);
    expect(await from(named, "127.0.0.1")).toBe(404);
    await named.close();
  });

  test("costs nobody anything who may not read it: it is refused before anything is read", async () => {
    let reads = 0;
    const { system } = appliance.ports;
    const { process } = system;
    system.process = () => {
      reads += 1;
      return process();
    };
    expect(await from(appliance, "203.0.113.9")).toBe(404);
    expect(reads).toBe(0);
    expect(await from(appliance, "127.0.0.1")).toBe(200);
    expect(reads).toBe(1);
  });

  test("depends on the client IP from the trusted proxy, and not on earlier values", async () => {
    expect(await from(appliance, "127.0.0.1, 203.0.113.9")).toBe(404);
    expect(await from(appliance, "203.0.113.9, 127.0.0.1")).toBe(200);
  });

  test("over the wire is for the loopback itself, not for what an untrusted or silent proxy there forwards", async () => {
    for (const [trusted, requests] of [
      [
        "false",
        [
          [{}, 200],
          [{ [CLIENT]: "127.0.0.1" }, 404],
          [{ forwarded: "for=203.0.113.9" }, 404],
        ],
      ],
      [
        "true",
        [
          [{}, 200],
          [{ via: "1.1 proxy" }, 404],
        ],
      ],
    ] as const) {
      const served = await startAppliance({ KANALOG_PORT: "0", KANALOG_TRUST_PROXY: trusted });
      await served.app.scheduler.runDue();
      const address = served.app.listen();
      for (const [headers, status] of requests) {
        const answer = await fetch(`${address}/metrics`, { headers });
        expect(answer.status, JSON.stringify([trusted, headers])).toBe(status);
      }
      await served.close();
    }
  });
});

test("the guide Operating lists exactly the existing metrics", async () => {
  const guide = readFileSync(new URL("../../../src/upkeep/operating.md", import.meta.url), "utf8");
  const rows = guide.match(/^\| `(?:kanalog|process)_.*?(?= \|)/gm) ?? [];
  const listed = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const { body } = await appliance.request("/metrics", {
    headers: { "x-forwarded-for": "127.0.0.1" },
  });
  const there = [...String(body).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(there.toSorted());
});

test("the system's figures are those of this process", async () => {
  const { systemPorts } = await import("../../../src/ports/ports.ts");
  const { system } = systemPorts(readConfig({ KANALOG_LOG_LEVEL: "silent" }));
  const real = await startAppliance(SCRAPED, { ...fakePorts(), system } as never);
  try {
    await scrape(real);
    // The first measurement is the reference for later ones.
    await Bun.sleep(60);
    const blockedFrom = performance.now();
    while (performance.now() - blockedFrom < 60);
    await Bun.sleep(60);
    const samples = await scrape(real);
    expect(samples.get('kanalog_event_loop_delay_seconds{quantile="1"}')).toBeGreaterThan(0.02);
    expect(samples.get("process_resident_memory_bytes")).toBeWithin(10_000_000, 4_000_000_000);
    expect(samples.get("process_cpu_seconds_total")).toBeGreaterThan(0.05);
    const startedAt = (samples.get("process_start_time_seconds") ?? 0) * 1000;
    expect(startedAt).toBeWithin(Date.now() - 86_400_000, Date.now());
  } finally {
    await real.close();
  }
});
