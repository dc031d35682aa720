import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMachine, type Machine, type Serving } from "../../../support/machine.ts";

/** Staff's commands about webhooks, while an appliance serves. */
let machine: Machine;
let serving: Serving;
let key: string;
let organization: number;

async function call(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${serving.address}/v1/msgr/webhooks/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

beforeAll(async () => {
  machine = createMachine();
  const channels = machine.write("channels.csv", "id,title,subscribers\n1,One,1\n2,Two,2\n");
  await machine.json(["import", "channels", channels]);
  const customer = await machine.customer();
  organization = customer.organization;
  const made = await machine.json<{ key: string }>([
    ...["key", "create", "--member", String(customer.member), "--write"],
  ]);
  key = made.key;
  serving = await machine.serve(["serve"], {
    environment: { KANALOG_WEBHOOK_ALLOW: "127.0.0.0/8" },
  });
  // Nobody listens on this port.
  const url = "https://127.0.0.1:1025/hook";
  expect((await call("POST", "", { url, channels: [2, 1] })).status).toBe(201);
});
afterAll(async () => {
  await serving.stop();
  await machine.leave();
});

test("list shows webhooks of one organization, or of all, and never a secret", async () => {
  const all = await machine.json<{ results: object[] }>(["webhook", "list"]);
  expect(all.results).toMatchObject([
    {
      id: 1,
      organization,
      url: "https://127.0.0.1:1025/hook",
      channels: 2,
      is_active: true,
      disabled_reason: "",
      last_error: "",
    },
  ]);
  expect(await machine.json(["webhook", "list", String(organization)])).toEqual({ ...all });
  expect(JSON.stringify(all)).not.toContain("secret");
  const other = await machine.run(["webhook", "list", "999"]);
  expect(other).toMatchObject({ exitCode: 1, notes: "Organization 999 was not found.\n" });
});

test("a webhook disabled by staff can only be enabled by staff, and the API says so at once", async () => {
  const disabled = await machine.json(["webhook", "disable", "1", "--reason", "Hangs for days"]);
  expect(disabled).toMatchObject({
    ...{ is_active: false, disabled_reason: "staff", staff_note: "Hangs for days" },
  });
  const refused = await call("PATCH", "1/", { is_active: true });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ code: "conflict" });
  const enabled = await machine.json(["webhook", "enable", "1"]);
  expect(enabled).toMatchObject({ is_active: true, disabled_reason: "", staff_note: "" });
  expect(await (await call("GET", "1/")).json()).toMatchObject({ is_active: true });
});

test("deliveries lists what was sent, and the result", async () => {
  expect((await machine.run(["webhook", "deliveries", "1"])).notes).toContain("None.");
  const tested = await (await call("POST", "1/test/")).json();
  expect(tested).toMatchObject({ delivered: false, status: null });
  const { results } = await machine.json<{ results: object[] }>(["webhook", "deliveries", "1"]);
  expect(results).toMatchObject([
    { delivery: 1, event: "ping", posts: [], state: "failed", attempts: [{ status: null }] },
  ]);
  const table = await machine.run(["webhook", "deliveries", "1"]);
  expect(table.out).toContain("ping");
  for (const verb of ["disable", "enable", "deliveries"]) {
    const missing = await machine.run(["webhook", verb, "99"]);
    expect(missing).toMatchObject({ exitCode: 1, notes: "Webhook 99 was not found.\n" });
  }
});

test("the secret that encrypts signing secrets is a file beside the database that only its owner can read", async () => {
  const { mode } = await Bun.file(`${machine.database}.secret`).stat();
  expect(mode & 0o777).toBe(0o600);
  expect(machine.read("kanalog.db.secret").trim().length).toBeGreaterThanOrEqual(32);
});
