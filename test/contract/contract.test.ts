import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PLAN_CODES } from "../../src/customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { Caller } from "../../src/customers/keys/keys.ts";
import type { ApiMethod } from "../../src/verbs/method.ts";
import { apiMethods, toolMethods } from "../../src/verbs/methods/table.ts";
import type { Endpoint } from "../../src/verbs/operator/endpoint.ts";
import { endpoints } from "../../src/verbs/operator/resources.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import type { Contract, ContractEndpoint, ContractMethod } from "../support/contract.ts";
import { channel, imported } from "../support/expectations.ts";
import { callsWith, created } from "../support/webhook-calls.ts";

/**
 * The API is a contract with its customers. Its surface is recorded in contract.json, so that every change
 * of it is read as a difference of that file; `bun run contract` records it again.
 */
const FILE = join(import.meta.dir, "contract.json");
const WRITES = process.env["KANALOG_TEST_WRITE_CONTRACT"] === "1";

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  // A plan that includes webhooks has room for one more here.
  for (const code of ["growth", "profi"] as const) {
    const room = { webhooks: 10, alerts: 10 };
    await appliance.app.domains.accounts.changePlan(code, room, COMMAND_LINE);
  }
});
afterAll(() => appliance.close());

/** Callers on each plan, with and without webhooks and alerts from before. */
async function callers(hasWebhooks: boolean): Promise<Caller[]> {
  const { accounts, keys } = appliance.app.domains;
  await imported(appliance, "channels", [channel(1)]);
  const made: Caller[] = [];
  for (const plan of PLAN_CODES) {
    const { key, organizationId } = await appliance.customer({ access: "read_write" });
    if (hasWebhooks) {
      const { id: webhook } = await created(callsWith(appliance, key));
      await appliance.request("/v1/msgr/alerts/", {
        ...{ method: "POST", key, headers: { "content-type": "application/json" } },
        body: JSON.stringify({ name: "A", q: "word", webhook }),
      });
    }
    await accounts.givePlan(organizationId, plan, null, COMMAND_LINE);
    const verified = keys.verify(`Bearer ${key}`, appliance.ports.clock.now());
    if (!verified.ok) throw new Error(verified.code);
    made.push(verified.caller);
  }
  return made;
}

/** What `fields` accepts, as its refusal of anything else lists it. */
function fieldsOf({ parameters }: ApiMethod): string[] | undefined {
  const refusal = parameters["fields"]?.read("?");
  if (refusal === undefined || !("fault" in refusal)) return undefined;
  return (refusal.fault.values as { known: string[] }).known;
}

function recordedMethod(
  method: ApiMethod,
  plans: readonly string[],
  plansWithWebhooks: readonly string[],
): ContractMethod {
  const { operationId, verb, path, units, status, audience, parameters, result } = method;
  const names = Object.keys(parameters);
  const fields = fieldsOf(method);
  return {
    ...{ operation: operationId, verb, path, units, status, keys: audience },
    plans,
    ...(plansWithWebhooks.join() !== plans.join() && { plansWithWebhooks }),
    required: names.filter((name) => parameters[name]?.required),
    optional: names.filter((name) => !parameters[name]?.required),
    answer: Object.keys((result as { properties?: object }).properties ?? {}),
    ...(fields && { fields }),
  };
}

function recordedEndpoint(endpoint: Endpoint): ContractEndpoint {
  const { operationId, verb, path, status, resource, parameters, does } = endpoint;
  const names = Object.keys(parameters);
  const row = does.result ?? resource.schema;
  return {
    operation: operationId,
    verb,
    path,
    status,
    area: resource.area,
    required: names.filter((name) => parameters[name]?.required),
    optional: names.filter((name) => !parameters[name]?.required),
    row: Object.keys((row as { properties?: object }).properties ?? {}),
  };
}

/** Every path that is served without a key, with the status of its answer. */
async function openPaths(): Promise<Record<string, number>> {
  const { routes } = appliance.app.server;
  const open = routes.filter(
    ({ verb, path }) => verb === "GET" && !/^\/(?:v1|operator|account|staff)(?:\/|$)/.test(path),
  );
  const answered: [path: string, status: number][] = [];
  for (const { path } of open) {
    const { status } = await appliance.request(path.replace(/:\w+/g, "1"));
    answered.push([path, status]);
  }
  return Object.fromEntries(answered.sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function surface(): Promise<Contract> {
  const [bare, withWebhooks] = [await callers(false), await callers(true)];
  const { services } = appliance.app;
  const including = ({ planRule }: ApiMethod, among: Caller[]) =>
    among.filter((caller) => (planRule?.(caller, services) ?? null) === null);
  const codes = (of: Caller[]) => of.map(({ plan }) => plan.code);
  return {
    methods: apiMethods.map((method) =>
      recordedMethod(
        method,
        codes(including(method, bare)),
        codes(including(method, withWebhooks)),
      ),
    ),
    tools: toolMethods.map(({ operationId }) => operationId),
    operator: endpoints.map(recordedEndpoint),
    withoutKey: await openPaths(),
  };
}

/** As JSON in which a list of names is one line. */
const toText = (value: Contract): string =>
  `${JSON.stringify(value, null, 2).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, names) => `[${names.replace(/\s+/g, " ")}]`)}\n`;

test("the API's surface is the recorded one; `bun run contract` records it again", async () => {
  const text = toText(await surface());
  if (WRITES) writeFileSync(FILE, text);
  expect(readFileSync(FILE, "utf8").split("\n")).toEqual(text.split("\n"));
});
