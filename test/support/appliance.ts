import { type App, createApp } from "../../src/app/app.ts";
import { type ImportKindName, importKinds } from "../../src/catalog/imports/kinds/import-kinds.ts";
import { type Fields, nothingRecognized } from "../../src/catalog/imports/reading/recognized.ts";
import type { ImportSummary } from "../../src/catalog/imports/writing/import-summary.ts";
import { runImport } from "../../src/catalog/imports/writing/open-import.ts";
import type { Reject } from "../../src/catalog/imports/writing/write-rows.ts";
import { type Config, type Environment, readConfig } from "../../src/config.ts";
import type { MemberRole } from "../../src/customers/accounts/accounts.table.ts";
import type { PlanCode } from "../../src/customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { KeyAccess } from "../../src/customers/keys/key-token.ts";
import "./quick-passwords.ts";
import "./unforced-gc.ts";
import { inEnglish } from "../../src/values/messages/messages.ts";
import { type FakePorts, fakePorts } from "./fake-ports.ts";
import { openPrepared } from "./prepared-database.ts";
import { checkAnswer } from "./published-schemas.ts";

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface Appliance {
  app: App;
  config: Config;
  ports: FakePorts;
  /** Sends a request to the real application, and checks its answer against the published document. */
  request(path: string, init?: RequestInit & { key?: string | null }): Promise<Answer>;
  /** Sends a GET with a key, by default one of an organization on Profi. */
  get(path: string, key?: string): Promise<Answer>;
  /** Creates an organization with one member and a key. */
  customer(options?: CustomerOptions): Promise<Customer>;
  /** Imports rows as with `--strict`: any bad cell rejects its row. */
  importRows(kind: ImportKindName, rows: Fields[], replace?: boolean): Promise<ImportResult>;
  close(): Promise<void>;
}

export interface ApplianceOptions {
  ratesAsShipped?: boolean;
  /** Opens the database; for tests in which a prepared one would hide what a new one needs. */
  open?: typeof openPrepared;
}

interface CustomerOptions {
  plan?: PlanCode;
  role?: MemberRole;
  access?: KeyAccess;
  expiresAt?: number;
}

export interface Customer {
  organizationId: number;
  memberId: number;
  keyId: number;
  key: string;
}

/** An import's summary, with its messages in English. */
export type ImportResult = Omit<ImportSummary, "rejects"> & {
  /** Rejected rows by reason, as in the summary. */
  groups: ImportSummary["rejects"];
  rejects: (Omit<Reject, "fault"> & { reason: string })[];
  notes: string[];
};

/** Set by `bun run campaign nodes`: each appliance is two nodes that answer by turns. */
export const RUNS_OVER_NODES = process.env["KANALOG_TEST_NODES"] !== undefined;

/**
 * The whole application over a fresh database in memory, with fake ports. The clock stands still,
 * so the plans' rates are lifted unless a test asks for them.
 */
export async function startAppliance(
  environment: Environment = {},
  ports: FakePorts = fakePorts(),
  { ratesAsShipped = false, open = openPrepared }: ApplianceOptions = {},
): Promise<Appliance> {
  // Each node limits the rate by itself.
  if (RUNS_OVER_NODES && open === openPrepared && !ratesAsShipped) {
    const { startCluster } = await import("./cluster.ts");
    const cluster = await startCluster({ environment, ports });
    return cluster.inTurns;
  }
  const config = readConfig({ KANALOG_DB: ":memory:", ...environment });
  const app = await createApp(config, ports, { open });
  if (!ratesAsShipped) await liftRates(app);
  return applianceOver(app, config, ports);
}

/** Lifts the plans' rates, which tests would soon exceed, because their clock stands still. */
export async function liftRates({ domains }: App): Promise<void> {
  for (const { code } of await domains.accounts.plans()) {
    const lifted = {
      ...{ requestsPerSecond: 1_000_000, databaseMsPerSecond: 64_000, lockMsPerSecond: 1_000 },
    };
    await domains.accounts.changePlan(code, lifted, COMMAND_LINE);
  }
}

/** An application with the functions that tests use. */
export function applianceOver(app: App, config: Config, ports: FakePorts): Appliance {
  const { domains } = app;
  let profi: Promise<Customer> | null = null;

  const appliance: Appliance = {
    app,
    config,
    ports,

    async request(path, { key = null, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (key !== null) headers.set("authorization", `Bearer ${key}`);
      const request = new Request(`http://localhost${path}`, { ...init, headers });
      const response = await app.server.handle(request);
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      const answer = {
        status: response.status,
        headers: response.headers,
        body: isJson && text !== "" ? JSON.parse(text) : text,
      };
      await checkAnswer(app, request, answer);
      return answer;
    },

    async get(path, key) {
      if (key !== undefined) return appliance.request(path, { key });
      profi ??= appliance.customer();
      return appliance.request(path, { key: (await profi).key });
    },

    async customer({ plan = "profi", role = "owner", access = "read_only", expiresAt } = {}) {
      const organization = await domains.accounts.createOrganization(
        { name: "Acme", plan },
        COMMAND_LINE,
      );
      const member = await domains.accounts.addMember(
        {
          organizationId: organization.id,
          email: "ada@example.com",
          name: "Ada",
          role,
        },
        COMMAND_LINE,
      );
      const { key, token } = await domains.keys.createKey(
        {
          memberId: member.id,
          name: "test",
          access,
          expiresAt: expiresAt ?? null,
        },
        COMMAND_LINE,
      );
      return { organizationId: organization.id, memberId: member.id, keyId: key.id, key: token };
    },

    async importRows(kind, rows, replace = false) {
      const rejects: ImportResult["rejects"] = [];
      const notes: string[] = [];
      const summary = await runImport(
        importKinds[kind],
        (async function* () {
          yield rows.map((fields, index) => ({ line: index + 1, fields }));
        })(),
        {
          db: domains.db,
          clock: ports.clock,
          context: {
            clock: ports.clock,
            folder: import.meta.dir,
            messengerHosts: config.messengerHosts,
            openDays: appliance.config.statisticsOpenDays,
            note: (note) => notes.push(inEnglish(note)),
          },
          recognized: nothingRecognized("Europe/Moscow"),
          cells: { timezone: "Europe/Moscow", strict: true },
          replace,
          onReject: ({ fault, ...reject }) => rejects.push({ ...reject, reason: inEnglish(fault) }),
          onProgress: () => {},
        },
      );
      return { ...summary, groups: summary.rejects, rejects, notes };
    },

    close: () => app.close(),
  };
  return appliance;
}
