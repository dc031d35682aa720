import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Ability } from "../../../src/customers/operator-keys/operator-keys.table.ts";
import { DAY_MS } from "../../../src/values/moscow-time.ts";
import { endpoints } from "../../../src/verbs/operator/resources.ts";
import { type Answer, type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";

/** The operator's API, over the real application. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

async function keyFor(can: Ability[], expiresAt: number | null = null): Promise<string> {
  const { operatorKeys } = appliance.app.domains;
  return (await operatorKeys.create({ name: "billing", can, expiresAt }, COMMAND_LINE)).token;
}

function send(
  method: string,
  path: string,
  key: string | null,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return appliance.request(`/operator/v1/${path}`, {
    method,
    key,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

const ACME = { name: "Acme", plan: "growth", owner: "ada@example.com", write: true };

describe("keys", () => {
  test("without a valid key of the operator, every operation is a 401", async () => {
    const { key: customers } = await appliance.customer();
    const { operatorKeys } = appliance.app.domains;
    const expired = await keyFor(["customers"], appliance.ports.clock.now() + DAY_MS);
    const { key, token: revoked } = await operatorKeys.create(
      { name: "old", can: ["customers"], expiresAt: null },
      COMMAND_LINE,
    );
    await operatorKeys.revoke(key.id, COMMAND_LINE);
    appliance.ports.clock.advance(DAY_MS);
    for (const { verb, path } of endpoints) {
      const at = path.replace("/operator/v1/", "").replace(":id", "1");
      expect((await send(verb, at, null)).body.code, at).toBe("not_authenticated");
    }
    for (const wrong of [customers, expired, revoked, `${revoked}x`, "knl_op_", "nonsense"]) {
      const answer = await send("GET", "organizations/", wrong);
      expect(answer.status).toBe(401);
      expect(answer.body.code).toBe("authentication_failed");
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="kanalog"');
    }
  });

  test("a key of the operator is not valid for customers' methods", async () => {
    const key = await keyFor(["read", "customers", "data", "system"]);
    expect((await appliance.get("/v1/me/", key)).status).toBe(401);
  });

  test("a key does only what it may: reading, or changing its areas, which includes reading", async () => {
    const [reads, manages] = [await keyFor(["read"]), await keyFor(["customers"])];
    const data = await keyFor(["data"]);
    expect((await send("GET", "organizations/", reads)).status).toBe(200);
    expect((await send("GET", "organizations/", manages)).status).toBe(200);
    expect((await send("POST", "organizations/", manages, ACME)).status).toBe(201);
    for (const [verb, key] of [
      ["POST", reads],
      ["GET", data],
      ["POST", data],
    ] as const) {
      const refused = await send(verb, "organizations/", key, verb === "POST" ? ACME : undefined);
      expect(refused.status).toBe(403);
      expect(refused.body.code).toBe("permission_denied");
    }
    expect((await send("POST", "operator-keys/", manages, { name: "x" })).status).toBe(403);
  });

  test("many wrong keys from one address are throttled, but a right one still works", async () => {
    const right = await keyFor(["read"]);
    const statuses = new Set<number>();
    for (let at = 0; at < 15; at++) {
      statuses.add((await send("GET", "plans/", `knl_op_${"0".repeat(38)}`)).status);
    }
    expect(statuses).toEqual(new Set([401, 429]));
    expect((await send("GET", "plans/", right)).status).toBe(200);
  });

  test("are made, listed and revoked through the API itself, and shown only once", async () => {
    const key = await keyFor(["read", "data", "system"]);
    const made = await send("POST", "operator-keys/", key, { name: "crawler", can: "read,data" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: "crawler", can: ["read", "data"], revoked_at: null });
    const listed = await send("GET", "operator-keys/", key);
    expect(JSON.stringify(listed.body)).not.toContain(made.body.key);
    expect((await send("GET", "plans/", made.body.key)).status).toBe(200);
    const revoked = await send("POST", `operator-keys/${made.body.id}/revoke/`, key);
    expect(revoked.body.revoked_at).toEqual(expect.any(String));
    expect((await send("GET", "plans/", made.body.key)).status).toBe(401);
    const wrong = await send("POST", "operator-keys/", key, { name: "x", can: "all" });
    expect(wrong.body).toEqual({ can: [expect.stringContaining("read, customers, data, system")] });
  });
});

describe("customers", () => {
  test("one is created with owner and key, gets a plan, is suspended, archived and restored", async () => {
    const key = await keyFor(["customers"]);
    const made = await send("POST", "organizations/", key, ACME);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ id: 1, name: "Acme", plan: "growth", member: 1, key_id: 1 });
    expect(made.body.link).toContain("/account/choose-password/?token=");
    expect((await appliance.get("/v1/me/", made.body.key)).body.api_tariff).toBe("growth");

    const planned = await send("POST", "organizations/1/plan/", key, {
      ...{ plan: "profi", ends: "2030-01-31" },
    });
    expect(planned.body).toMatchObject({
      plan: "profi",
      plan_ends_at: "2030-02-01T00:00:00+03:00",
    });
    expect((await send("POST", "members/1/suspend/", key)).body.role).toBe("owner");
    expect((await appliance.get("/v1/me/", made.body.key)).status).toBe(401);
    await send("POST", "members/1/restore/", key);
    await send("POST", "organizations/1/archive/", key);
    expect((await appliance.get("/v1/me/", made.body.key)).status).toBe(401);
    await send("POST", "organizations/1/restore/", key);
    expect((await appliance.get("/v1/me/", made.body.key)).status).toBe(200);
    const keys = await send("GET", "keys/?organization=1&fields=id,access", key);
    expect(keys.body).toEqual({ results: [{ id: 1, access: "read_write" }], next: null });
    await send("POST", "keys/1/revoke/", key);
    expect((await appliance.get("/v1/me/", made.body.key)).status).toBe(401);
  });

  test("each change is in the audit log under the key that made it", async () => {
    const key = await keyFor(["customers"]);
    await send("POST", "organizations/", key, ACME);
    const rows = appliance.app.domains.db
      .prepare("SELECT person, action FROM audit_log WHERE person <> '' ORDER BY id")
      .all();
    expect(rows).toEqual(
      ["organization.create", "member.add", "key.create"].map((action) => {
        return { person: "operator key 1 (billing)", action };
      }),
    );
  });

  test("lists go page by page, and a cursor carries its filters", async () => {
    const key = await keyFor(["customers"]);
    for (let at = 0; at < 5; at++) {
      await send("POST", "organizations/", key, { name: `Acme ${at}`, plan: "test" });
    }
    const seen: number[] = [];
    let path: string | null = "organizations/?limit=2&q=acme&fields=id";
    while (path !== null) {
      const { body }: Answer = await send("GET", path, key);
      seen.push(...body.results.map(({ id }: { id: number }) => id));
      path = body.next?.replace(/^.*\/operator\/v1\//, "") ?? null;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    const first = await send("GET", "organizations/?limit=2&q=acme", key);
    const cursor = new URL(first.body.next).searchParams.get("cursor");
    expect((await send("GET", `organizations/?q=other&cursor=${cursor}`, key)).body).toEqual({
      cursor: [expect.stringContaining("q")],
    });
    expect((await send("GET", `operator-keys/?cursor=${cursor}`, key)).status).toBe(403);
    expect((await send("GET", "organizations/?cursor=forged", key)).status).toBe(400);
  });

  test("bad input is an error by field, and changes nothing", async () => {
    const key = await keyFor(["customers"]);
    for (const [body, status, expected] of [
      [{}, 400, { name: expect.any(Array), plan: expect.any(Array) }],
      [
        { ...ACME, name: "", plan: "gold" },
        400,
        {
          name: ["This field may not be blank."],
          plan: ['"gold" is not a valid choice. Allowed: test, start, growth, profi.'],
        },
      ],
      [{ ...ACME, owner: "nobody" }, 400, { owner: expect.any(Array) }],
      [{ ...ACME, more: 1 }, 400, { more: ["There is no such field."] }],
      ["{bad", 400, { code: "parse_error" }],
      ["[]", 400, { non_field_errors: expect.any(Array) }],
      ["", 400, { name: expect.any(Array) }],
      ['{"name": "Ac', 400, { code: "parse_error" }],
      ['{"name": "A\\u0000", "plan": "test"}', 400, { name: expect.any(Array) }],
      [{ ...ACME, name: null }, 400, { name: expect.any(Array) }],
      [{ ...ACME, name: ["Acme"] }, 400, { name: expect.any(Array) }],
      [{ ...ACME, name: "x".repeat(300_000) }, 413, { code: "payload_too_large" }],
    ] as const) {
      const answer = await send("POST", "organizations/", key, body);
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject(expected);
    }
    for (const [verb, path, status] of [
      ["GET", "organizations/9/", 404],
      ["GET", "organizations/x/", 404],
      ["GET", "organizations/%FF/", 404],
      ["POST", "organizations/9/archive/", 404],
      ["GET", "members/", 400],
      ["PUT", "organizations/", 405],
      ["DELETE", "plans/gold/", 404],
      ["GET", "nothing/", 404],
    ] as const) {
      expect((await send(verb, path, key)).status, `${verb} ${path}`).toBe(status);
    }
    expect((await send("PATCH", "plans/gold/", key, { rate: 5 })).status).toBe(404);
    expect((await send("GET", "organizations/", key)).body.results).toEqual([]);
  });
});

test("a key makes no key, staff or link that may do more than itself", async () => {
  const key = await keyFor(["read", "system"]);
  const wanted = (can: string) => ({ name: "more", can });
  const refused = await send("POST", "operator-keys/", key, wanted("read,customers"));
  expect(refused.status).toBe(403);
  expect(refused.body.detail).toContain("--can customers");
  expect((await send("POST", "operator-keys/", key, wanted("system"))).status).toBe(201);
  expect((await send("GET", "operator-keys/", key)).body.results).toHaveLength(2);
  const person = { email: "eve@example.com", name: "" };
  await appliance.app.domains.people.ensurePerson(person);
  for (const path of ["staff/", "people/eve@example.com/link/"]) {
    const body = path === "staff/" ? person : {};
    expect((await send("POST", path, key, body)).status, path).toBe(403);
  }
  expect((await send("GET", "people/", key)).body.results).toMatchObject([{ is_staff: false }]);
});

test("a key for customers gets no link of somebody on staff without a password", async () => {
  const { people } = appliance.app.domains;
  await people.ensurePerson({ email: "boss@example.com", name: "Boss" });
  await people.markStaff({ email: "boss@example.com", isStaff: true, by: COMMAND_LINE });
  const key = await keyFor(["customers"]);
  const owner = { name: "Boss Ltd", plan: "test", owner: "boss@example.com" };
  expect((await send("POST", "organizations/", key, owner)).status).toBe(403);
  const made = await send("POST", "organizations/", key, { name: "Others", plan: "test" });
  const member = { organization: made.body.id, email: "boss@example.com", role: "member" };
  expect((await send("POST", "members/", key, member)).status).toBe(403);
});

describe("Idempotency-Key", () => {
  const once = { "idempotency-key": "order 17" };

  test("a repeated request is carried out once, and gets the same answer, for a day", async () => {
    const key = await keyFor(["customers"]);
    const first = await send("POST", "organizations/", key, ACME, once);
    expect(first.status).toBe(201);
    expect((await send("POST", "organizations/", key, ACME, once)).body).toEqual(first.body);
    const other = await send("POST", "organizations/", key, { ...ACME, name: "B" }, once);
    expect(other).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await send("GET", "organizations/", key)).body.results).toHaveLength(1);
    // Another key of the operator may use the same text for a request of its own.
    const another = await keyFor(["customers"]);
    const own = { ...ACME, name: "C", owner: undefined };
    expect((await send("POST", "organizations/", another, own, once)).status).toBe(201);
    appliance.ports.clock.advance(DAY_MS);
    const later = { ...ACME, name: "D", owner: undefined };
    const made = await send("POST", "organizations/", key, later, once);
    expect(made.status).toBe(201);
    expect((await send("POST", "organizations/", key, later, once)).body).toEqual(made.body);
    expect((await send("POST", "organizations/", key, ACME, once)).status).toBe(409);
  });

  test("belongs to one request: the same text for another address is a conflict, a long one is refused", async () => {
    const key = await keyFor(["customers"]);
    const made = await send("POST", "organizations/", key, ACME, once);
    const { id, member } = made.body;
    const other = await send("POST", `organizations/${id}/archive/`, key, {}, once);
    expect(other).toMatchObject({ status: 409, body: { code: "conflict" } });
    for (const text of ["", "x".repeat(256)]) {
      const named = { "idempotency-key": text };
      const refused = await send("POST", `members/${member}/suspend/`, key, {}, named);
      expect(refused).toMatchObject({ status: 400, body: { code: "parse_error" } });
    }
    const { body } = await send("GET", `organizations/${id}/`, key);
    expect(body.archived_at).toBeNull();
    const members = await send("GET", `members/?organization=${id}`, key);
    expect(members.body.results).toMatchObject([{ id: member, suspended_at: null }]);
  });

  test("a request that was begun again meanwhile changes nothing any more", async () => {
    const { operatorKeys, accounts, db } = appliance.app.domains;
    const { key } = await operatorKeys.create(
      { name: "slow", can: ["customers"], expiresAt: null },
      COMMAND_LINE,
    );
    const startedAt = appliance.ports.clock.now();
    const name = { keyId: key.id, idempotencyKey: "slow" };
    const begin = (at: number) =>
      db
        .prepare(
          `INSERT INTO operator_requests (key_id, idempotency_key, request, started_at, is_done)
           VALUES (@keyId, @idempotencyKey, '', @at, 0)
           ON CONFLICT DO UPDATE SET started_at = excluded.started_at`,
        )
        .run({ ...name, at });
    begin(startedAt);
    begin(startedAt + 61_000);
    const slow = { ...COMMAND_LINE, request: { ...name, startedAt } };
    const wanted = { name: "Twice", plan: "start" } as const;
    await expect(accounts.createOrganization(wanted, slow)).rejects.toThrow("still in progress");
    const again = { ...COMMAND_LINE, request: { ...name, startedAt: startedAt + 61_000 } };
    await accounts.createOrganization(wanted, again);
    const list = await send("GET", "organizations/", await keyFor(["customers"]));
    expect(list.body.results).toHaveLength(1);
  });

  test("a refused request may be sent again, corrected", async () => {
    const key = await keyFor(["customers"]);
    const wrong = { ...ACME, plan: "gold" };
    expect((await send("POST", "organizations/", key, wrong, once)).status).toBe(400);
    expect((await send("POST", "organizations/", key, ACME, once)).status).toBe(201);
  });

  test("the answer is stored encrypted, because it may contain a new key", async () => {
    const key = await keyFor(["customers"]);
    const { body } = await send("POST", "organizations/", key, ACME, once);
    const { db } = appliance.app.domains;
    const [row] = db.prepare("SELECT body FROM operator_requests").all() as { body: Buffer }[];
    expect(row?.body.length).toBeGreaterThan(50);
    expect(row?.body.includes(body.key)).toBe(false);
  });

  test("after a crash between change and answer, the request is not carried out again", async () => {
    const key = await keyFor(["customers"]);
    const acme = { ...ACME, same_name: true };
    await send("POST", "organizations/", key, acme, once);
    const { db } = appliance.app.domains;
    db.exec("UPDATE operator_requests SET status = NULL, body = NULL");
    const again = await send("POST", "organizations/", key, acme, once);
    expect(again).toMatchObject({ status: 409, body: { code: "answer_lost" } });
    expect(again.headers.get("retry-after")).toBeNull();
    expect((await send("GET", "organizations/", key)).body.results).toHaveLength(1);
    // Before the change, there is no doubt: it is carried out now.
    db.exec("UPDATE operator_requests SET is_done = 0");
    const busy = await send("POST", "organizations/", key, acme, once);
    expect(busy).toMatchObject({ status: 409, body: { code: "in_progress" } });
    expect(busy.headers.get("retry-after")).toBe("1");
    appliance.ports.clock.advance(60_000);
    expect((await send("POST", "organizations/", key, acme, once)).status).toBe(201);
  });
});

describe("the documentation", () => {
  test("is for staff only, and describes every operation", async () => {
    const { organizationId } = await appliance.customer();
    const person = { organizationId, email: "olga@example.com", name: "Olga" };
    await addPerson(appliance, { ...person, isStaff: true });
    await addPerson(appliance, { ...person, email: "bob@example.com" });
    const customer = await signedInVisitor(appliance, "bob@example.com");
    const staff = await signedInVisitor(appliance, person.email);
    for (const path of ["/docs/operator/", "/docs/operator/json"]) {
      expect((await appliance.request(path)).status).toBe(404);
      expect((await customer.get(path)).status).toBe(404);
      expect((await staff.get(path)).status).toBe(200);
    }
    const document = (await staff.get("/docs/operator/json")).body;
    const described = Object.entries(document.paths).flatMap(([path, ofPath]) =>
      Object.keys(ofPath as object).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(
      endpoints.map(({ verb, path }) => `${verb} ${path.replace(":id", "{id}")}`).sort(),
    );
    for (const { verb, path, parameters } of endpoints) {
      const operation = document.paths[path.replace(":id", "{id}")][verb.toLowerCase()];
      const body = operation.requestBody?.content["application/json"]?.schema.properties ?? {};
      const inQuery = operation.parameters.map(({ name }: { name: string }) => name);
      expect([...inQuery, ...Object.keys(body)].sort()).toEqual(Object.keys(parameters).sort());
    }
  });
});
