import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { ABILITIES } from "../../src/customers/operator-keys/operator-keys.table.ts";
import { tableNames } from "../../src/db/file/database-facts.ts";
import { openInMemory } from "../../src/db/open-database.ts";
import { systemRandom } from "../../src/ports/ports.ts";
import { readTargetUrl } from "../../src/values/network/target-guard.ts";
import { type Endpoint, endpointOf } from "../../src/verbs/operator/endpoint.ts";
import { isReference } from "../../src/verbs/operator/resource.ts";
import { resources } from "../../src/verbs/operator/resources.ts";
import type { Parameter } from "../../src/verbs/parameters.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { auditOf } from "../support/audit.ts";
import { runBeside } from "../support/command.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { until } from "../support/until.ts";
import { addPerson, STAFF, signedInVisitor, type Visitor } from "../support/visitor.ts";
import { callsWith, created, importChannels } from "../support/webhook-calls.ts";
import { CASES, type Case } from "./cases.ts";

/**
 * Each verb of the operator through each of its doors: the command, `/operator/v1/` and, where there is
 * one, the form of staff's console make the same changes, record the same and refuse the same.
 */

const BACKUPS = mkdtempSync(join(tmpdir(), "kanalog-test-"));
const ENVIRONMENT = {
  KANALOG_SECRET: "the secret of an appliance of a test",
  KANALOG_BACKUP_DIR: BACKUPS,
};
let built: Buffer;
let operatorKey: string;

afterAll(() => rmSync(BACKUPS, { recursive: true }));
beforeAll(async () => {
  const head = { format: "kanalog-backup-2", bytes: 8, schemaVersion: 1 };
  writeFileSync(join(BACKUPS, "kanalog-2026-11-20T04-00-00.backup"), JSON.stringify(head));
  const appliance = await startAppliance(ENVIRONMENT);
  await importChannels(appliance, 2);
  const { key } = await appliance.customer({ access: "read_write" });
  const spare = { code: "spare", like: "start", limits: {} };
  await appliance.app.domains.accounts.addPlan(spare, COMMAND_LINE);
  const call = callsWith(appliance, key);
  const { id } = await created(call);
  expect((await call("POST", `${id}/test/`)).status).toBe(200);
  const asked = { name: "Craters", q: "кратер", webhook: id };
  const headers = { "content-type": "application/json" };
  const alert = { method: "POST", key, headers, body: JSON.stringify(asked) };
  expect((await appliance.request("/v1/msgr/alerts/", alert)).status).toBe(201);
  await listenAndAsk(appliance);
  const { operatorKeys } = appliance.app.domains;
  const wanted = { name: "billing", can: [...ABILITIES], expiresAt: null };
  operatorKey = (await operatorKeys.create(wanted, COMMAND_LINE)).token;
  await operatorKeys.create({ ...wanted, name: "crawler" }, COMMAND_LINE);
  await addPerson(appliance, { email: STAFF, isStaff: true });
  await addPeople(appliance);
  await importFile(appliance);
  await appliance.app.sources.add(
    {
      name: "prices",
      ...{ headers: {}, schedule: "1d" },
      settings: {
        ...{ kind: "folder", folder: "/prices", rows: "channels", strict: false },
        ...{ reading: { format: null, from: null, map: {}, ignoreUnknown: false } },
        timezone: "Europe/Moscow",
      },
    },
    COMMAND_LINE,
  );
  appliance.app.domains.db
    .prepare(
      "INSERT INTO sources (name, kind, settings, schedule, created_at) VALUES (?, ?, ?, ?, 0)",
    )
    .run(
      "news",
      "max",
      '{"kind":"max","api":"https://max.example.com","bot":"news","pushes":true}',
      "1h",
    );
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  appliance.app.domains.db.copyTo(join(folder, "house.db"));
  built = readFileSync(join(folder, "house.db"));
  rmSync(folder, { recursive: true });
  await appliance.close();
});

/**
 * The operator listens at two addresses, of which one is disabled then; the customer asks for a plan, and
 * its webhook gets a post.
 */
async function listenAndAsk({ app, importRows }: Appliance): Promise<void> {
  const { accounts, operatorWebhooks, db } = app.domains;
  const url = "https://billing.example.com/events";
  const target = readTargetUrl(url);
  if ("fault" in target) throw new Error("not an address");
  for (const _ of [2, 3]) {
    await operatorWebhooks.create({ url, target: target.value }, COMMAND_LINE);
  }
  const asked = { organizationId: 1, plan: "growth", note: "More posts" } as const;
  await accounts.requestPlan(asked, COMMAND_LINE);
  const post = { channel: "1", msgr_post_id: "1", published_at: "2026-11-20T11:00:00+03:00" };
  await importRows("posts", [post]);
  await app.push.runDue();
  db.prepare("UPDATE webhooks SET disabled_reason = 'failures' WHERE id = 3").run();
}

/** Bob is staff and signed in somewhere, Eve a person. */
async function addPeople(appliance: Appliance): Promise<void> {
  const { db, people } = appliance.app.domains;
  for (const email of ["bob@example.com", "eve@example.com"]) {
    await people.ensurePerson({ email, name: "" });
  }
  await people.markStaff({ email: "bob@example.com", isStaff: true, by: COMMAND_LINE });
  db.exec(`INSERT INTO sessions
    (id, token, person_id, expires_at, created_at, updated_at)
    SELECT 's', 't', id, '2099', '', '' FROM people WHERE email = 'bob@example.com'`);
}

async function importFile(appliance: Appliance): Promise<void> {
  const path = "/operator/v1/imports/";
  const sent = await appliance.request(`${path}?kind=channels&name=rows.csv`, {
    ...{ method: "POST", key: operatorKey, body: "id,title,subscribers\n3,Three,1\n" },
  });
  expect(sent.status, JSON.stringify(sent.body)).toBe(202);
  const run = () => appliance.request(`${path}${sent.body.id}/`, { key: operatorKey });
  await until(async () => (await run()).body.state === "done", "the end of the import");
}

/**
 * An appliance with a customer, its webhook with deliveries, keys and webhooks of the operator, staff
 * and an import.
 */
const startHouse = () =>
  startAppliance(
    ENVIRONMENT,
    { ...fakePorts(), random: systemRandom },
    {
      open: async (_config, { clock }) => openInMemory(built, clock),
    },
  );

type Given = NonNullable<Case["args"]>;

/** The words of a verb's command. */
function wordsOf({ resource, does }: Endpoint, of: Case["of"], args: Given): string[] {
  const positional = (does.positional ?? []) as string[];
  const options = Object.entries(args).filter(([name]) => !positional.includes(name));
  return [
    ...[...resource.command.split(" "), does.name],
    ...(does.on === "one" ? [String(of)] : []),
    ...positional.flatMap((name) => (args[name] === undefined ? [] : [String(args[name])])),
    ...options.flatMap(([name, value]) => {
      const option = `--${name.replaceAll("_", "-")}`;
      return value === true ? [option] : [option, String(value)];
    }),
  ];
}

const byCommand = (house: Appliance, endpoint: Endpoint, of: Case["of"], args: Given) =>
  runBeside(house, [
    ...[...wordsOf(endpoint, of, args), "--json"],
    ...(endpoint.does.asks === undefined ? [] : ["--yes"]),
  ]);

function byRequest(house: Appliance, { verb, path }: Endpoint, of: Case["of"], args: Given) {
  const query = new URLSearchParams(args as Record<string, string>);
  const to = path.replace(":id", String(of));
  const hasBody = verb !== "GET" && verb !== "DELETE";
  return house.request(hasBody ? to : `${to}?${query}`, {
    method: verb,
    key: operatorKey,
    ...(hasBody && {
      body: JSON.stringify(args),
      headers: { "content-type": "application/json" },
    }),
  });
}

/**
 * Tables that are not compared: fixed ones, those of doors and of the sign-in library, whose ids and times are its own, and
 * those that count changes. The audit log is compared apart.
 */
const OWN =
  /^(territories|audit_log|mails|operator_requests|sessions|people|verifications|known_networks|.*_version)$/;
/** Columns and fields with random texts. */
const RANDOM = /hash|prefix|secret|token|^key$|link/;

/** All rows of the database, as texts. */
function contents(house: Appliance): string[] {
  const { db } = house.app.domains;
  return tableNames(db)
    .filter((name) => !OWN.test(name))
    .flatMap((name) =>
      db
        .prepare<Record<string, unknown>>(`SELECT * FROM ${name}`)
        .all()
        .map((row) => `${name} ${JSON.stringify(withoutRandom(row))}`),
    );
}

function withoutRandom(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, RANDOM.test(name) ? "random" : value]),
  );
}

interface Outcome {
  row: unknown;
  removed: string[];
  added: string[];
  audit: object[];
}

const DOORS = {
  async command(house: Appliance, endpoint: Endpoint, { of, args = {}, notes = "" }: Case) {
    const done = await byCommand(house, endpoint, of, args);
    expect(done, done.notes).toMatchObject({ exitCode: 0, notes: expect.stringContaining(notes) });
    return JSON.parse(done.out);
  },
  async request(house: Appliance, endpoint: Endpoint, { of, args = {} }: Case) {
    const { status, body } = await byRequest(house, endpoint, of, args);
    expect(status, JSON.stringify(body)).toBe(endpoint.status);
    return body;
  },
  async form(house: Appliance, { does }: Endpoint, { args = {}, form }: Case) {
    if (form === undefined) throw new Error("there is no form");
    const fields = { action: does.name, ...args, ...form.fields } as Record<string, string>;
    const staff = await signedInVisitor(house, STAFF);
    const { status } = await staff.post(form.path, fields);
    expect(status).toBeOneOf([200, 303]);
    return null;
  },
};

/** Uses a verb that changes something through a door of a house of its own. */
async function through(door: keyof typeof DOORS, endpoint: Endpoint, use: Case): Promise<Outcome> {
  const house = await startHouse();
  const { does, resource } = endpoint;
  const first = resource.verbs.find(({ name }) => name === use.after);
  const { of, afterOf = of } = use;
  if (first !== undefined) await byCommand(house, endpointOf(resource, first), afterOf, {});
  const recorded = () =>
    auditOf(house, "everybody").map(({ person: _, details, ...entry }) => {
      return { ...entry, details: withoutRandom(details) };
    });
  const [before, known] = [contents(house), recorded().length];
  const shown = await DOORS[door](house, endpoint, use);
  await house.app.workAfterAnswers();
  const after = contents(house);
  const audit = recorded().slice(known);
  // What is done already changes nothing and is not recorded again, unless each use makes something new.
  if (does.on === "one" && !use.isOnce) {
    await DOORS[door](house, endpoint, { ...use, notes: "" });
    expect(contents(house)).toEqual(after);
    expect(recorded().slice(known)).toEqual(audit);
  }
  expect(house.ports.log.errors).toEqual([]);
  await house.close();
  const had = new Set(before);
  const has = new Set(after);
  return {
    row: shown && withoutRandom(shown),
    removed: before.filter((row) => !has.has(row)),
    added: after.filter((row) => !had.has(row)),
    audit,
  };
}

const ALL = resources.flatMap((resource) => {
  // Some have no command: only programs use them.
  const forAll = resource.verbs.filter(({ isForPrograms }) => !isForPrograms);
  return forAll.map((verb) => {
    const name = `${resource.name} ${verb.name}`;
    return { name, endpoint: endpointOf(resource, verb), use: CASES[name] };
  });
});

test("each verb of each resource has a case", () => {
  expect(Object.keys(CASES).sort()).toEqual(ALL.map(({ name }) => name).sort());
});

for (const { name, endpoint, use } of ALL) {
  if (use === undefined || endpoint.does.isRead) continue;
  test(`${name}: each door gives the same row, changes the same and records the same`, async () => {
    const command = await through("command", endpoint, use);
    expect(command.row).toMatchObject(use.row);
    expect(command.audit).toMatchObject(use.audit ?? []);
    expect([...command.added, ...command.removed, ...command.audit]).not.toEqual([]);
    const isEmpty = endpoint.status === 204;
    const requested = isEmpty ? { ...command, row: "" } : command;
    expect(await through("request", endpoint, use)).toEqual(requested);
    if (use.form === undefined) return;
    expect(await through("form", endpoint, use)).toEqual({ ...command, row: null });
  });
}

describe("nothing changes:", () => {
  let house: Appliance;
  let staff: Visitor;
  let before: string[];
  beforeAll(async () => {
    house = await startHouse();
    staff = await signedInVisitor(house, STAFF);
    before = contents(house);
  });
  afterAll(async () => {
    expect(contents(house)).toEqual(before);
    await house.close();
  });

  for (const { name, endpoint, use = { row: {} } } of ALL) {
    const { does, resource } = endpoint;
    const { of, args = {}, form } = use;

    if (does.isRead) {
      test(`${name}: each door gives the same`, async () => {
        const shown = await DOORS.command(house, endpoint, use);
        expect(shown.results ?? shown).toMatchObject(use.row);
        const answered = await DOORS.request(house, endpoint, use);
        expect(answered.results ?? answered).toEqual(shown.results ?? shown);
      });
    }

    if (does.on === "one" && resource.id.schema["type"] === "integer") {
      test(`${name}: none of this number`, async () => {
        const missing = await byCommand(house, endpoint, 999, args);
        expect(missing).toMatchObject({ exitCode: 1, out: "" });
        const { status, body } = await byRequest(house, endpoint, 999, args);
        expect([status, `${body.detail}\n`]).toEqual([404, missing.notes]);
        if (form === undefined) return;
        const fields = { action: does.name, ...args, ...form.fields } as Record<string, string>;
        for (const field of ["key", "member", "source"]) if (fields[field]) fields[field] = "999";
        const csrf = await staff.csrf("/staff/keys/");
        const answer = await staff.post(form.path.replace(/\/\d+\/$/, "/999/"), {
          ...fields,
          csrf,
        });
        expect(answer.status).toBe(404);
      });
    }

    for (const [argument, parameter] of Object.entries<Parameter<unknown>>(does.args)) {
      const { [argument]: _, ...others } = args;
      if (parameter.required) {
        test(`${name}: no ${argument}`, () => refuses(endpoint, of, others, argument));
      }
      if (parameter.schema["enum"] !== undefined) {
        test(`${name}: no such ${argument}`, () =>
          refuses(endpoint, of, { ...others, [argument]: "none" }, argument));
      }
      if (isReference(parameter)) {
        test(`${name}: no ${argument} of this number`, async () => {
          const missing = await byCommand(house, endpoint, of, { ...args, [argument]: 999 });
          expect(missing).toMatchObject({ exitCode: 1, out: "" });
          const { status, body } = await byRequest(house, endpoint, of, {
            ...{ ...args, [argument]: 999 },
          });
          expect([status, `${body.detail}\n`]).toEqual([404, missing.notes]);
        });
      }
    }
  }

  /** A bad argument: the command names it in one line, the API's error is at its field. */
  async function refuses(endpoint: Endpoint, of: Case["of"], args: Given, argument: string) {
    const { exitCode, out, notes } = await byCommand(house, endpoint, of, args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(notes.trimEnd().split("\n")).toHaveLength(1);
    // Options are written with hyphens.
    expect(notes.replaceAll("-", "_")).toContain(argument);
    const { status, body } = await byRequest(house, endpoint, of, args);
    expect([status, Object.keys(body)]).toEqual([400, [argument]]);
  }
});
