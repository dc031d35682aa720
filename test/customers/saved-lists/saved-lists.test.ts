import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import {
  type Answer,
  type Appliance,
  type Customer,
  startAppliance,
} from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { keyOf } from "../../support/webhook-calls.ts";

const PATH = "/v1/msgr/lists/";
const SCIENCE = { name: "Science", query: "category=science&subscribers_min=1" };

let appliance: Appliance;
let customer: Customer;
beforeEach(async () => {
  appliance = await startAppliance();
  customer = await appliance.customer({ plan: "test", role: "member", access: "read_write" });
  await imported(
    appliance,
    "channels",
    [1, 2, 3, 4].map((id) =>
      channel(id, { subscribers: 10 - id, category: id < 4 ? "science" : "news" }),
    ),
  );
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const call = (verb: string, path: string, body?: object, key = customer.key): Promise<Answer> =>
  appliance.request(path, {
    ...{ key, method: verb },
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
const save = (body: object, key?: string) => call("POST", PATH, body, key);
const idsOf = ({ body }: Answer): number[] => body.results.map(({ id }: { id: number }) => id);
const used = async (): Promise<number> =>
  (await appliance.get("/v1/me/", customer.key)).body.usage.used;

test("any member saves, renames and deletes lists on every plan, and all keys of the member see them", async () => {
  const { status, body: list } = await save(SCIENCE);
  expect([status, list]).toEqual([
    201,
    { id: list.id, ...SCIENCE, created_at: expect.any(String) },
  ]);
  const { memberId } = customer;
  const reading = { memberId, name: "", access: "read_only", expiresAt: null } as const;
  const { token } = await appliance.app.domains.keys.createKey(reading, COMMAND_LINE);
  expect((await appliance.get(PATH, token)).body).toEqual({ results: [list] });
  expect((await appliance.get(`${PATH}${list.id}/?fields=name`, token)).body).toEqual({
    name: "Science",
  });

  const one = `${PATH}${list.id}/`;
  const renamed = await call("PATCH", one, { name: " Physics " });
  expect([renamed.status, renamed.body]).toEqual([200, { ...list, name: "Physics" }]);
  for (const [verb, path, body] of [
    ["POST", PATH, { name: "B", query: "kind=chat" }],
    ["PATCH", one, { name: "B" }],
    ["DELETE", one, undefined],
  ] as const) {
    const refused = await call(verb, path, body, token);
    expect([refused.status, refused.body.code]).toEqual([403, "read_only_key"]);
  }
  expect(await used()).toBe(0);
  expect((await call("DELETE", one)).status).toBe(204);
  expect((await call("DELETE", one)).status).toBe(404);
  expect((await appliance.get(PATH, token)).body).toEqual({ results: [] });
});

test("a list is its member's own: a colleague, even the owner, finds none of it", async () => {
  const { body: list } = await save(SCIENCE);
  const owner = await keyOf(appliance, customer.organizationId, "owner", "read_write");
  expect((await appliance.get(PATH, owner)).body).toEqual({ results: [] });
  for (const [verb, path, body] of [
    ["GET", `${PATH}${list.id}/`, undefined],
    ["GET", `${PATH}${list.id}/channels/`, undefined],
    ["PATCH", `${PATH}${list.id}/`, { name: "Theirs" }],
    ["DELETE", `${PATH}${list.id}/`, undefined],
  ] as const) {
    expect((await call(verb, path, body, owner)).status, `${verb} ${path}`).toBe(404);
  }
  expect((await save(SCIENCE, owner)).status).toBe(201);
  expect((await appliance.get(PATH, customer.key)).body.results).toEqual([list]);
});

test("a list's channels are what the catalog finds for its search now, page by page, a unit each", async () => {
  const { body: list } = await save(SCIENCE);
  const path = `${PATH}${list.id}/channels/`;
  const first = await appliance.get(`${path}?limit=2&fields=id,title`, customer.key);
  const same = await appliance.get(
    `/v1/msgr/channels/?${SCIENCE.query}&limit=2&fields=id,title`,
    customer.key,
  );
  expect(first.body.results).toEqual(same.body.results);
  const { pathname, search, searchParams } = new URL(first.body.next);
  expect(pathname).toBe(path);
  expect(idsOf(await appliance.get(pathname + search, customer.key))).toEqual([3]);
  expect(await used()).toBe(3);
  await imported(appliance, "channels", [channel(5, { subscribers: 4, category: "science" })]);
  expect(idsOf(await appliance.get(path, customer.key))).toEqual([1, 2, 3, 5]);
  const metrics = await appliance.get(`${path}?limit=1&include=metrics`, customer.key);
  expect(metrics.body.results[0].metrics).toBeObject();

  const { body: other } = await save({ name: "In order", query: "ids=4,1" });
  const inOrder = await appliance.get(`${PATH}${other.id}/channels/`, customer.key);
  expect(idsOf(inOrder)).toEqual([4, 1]);
  const { body: news } = await save({ name: "News", query: "category=news" });
  const cursor = searchParams.get("cursor");
  const mixed = await appliance.get(`${PATH}${news.id}/channels/?cursor=${cursor}`, customer.key);
  expect([mixed.status, Object.keys(mixed.body)]).toEqual([400, ["cursor"]]);
});

test("a list whose category is gone says so, and can still be read and deleted", async () => {
  const { body: list } = await save(SCIENCE);
  appliance.app.domains.db.prepare("UPDATE saved_lists SET query = 'category=alchemy'").run();
  const { status, body } = await appliance.get(`${PATH}${list.id}/channels/`, customer.key);
  expect([status, body]).toEqual([400, { category: ["Object with slug=alchemy does not exist."] }]);
  expect((await call("DELETE", `${PATH}${list.id}/`)).status).toBe(204);
});

test("equal searches are one list, in whatever order and with whatever is empty", async () => {
  await save({ name: "A", query: "?ordering=-growth_30d&category=science&q=" });
  expect((await appliance.get(PATH, customer.key)).body.results[0].query).toBe(
    "category=science&ordering=-growth_30d",
  );
  const again = await save({ name: "B", query: "category=science&ordering=-growth_30d" });
  expect([again.status, again.body.code]).toEqual([409, "conflict"]);
});

test("bad names and searches are refused by field, and nothing is saved", async () => {
  const name = "A";
  for (const [body, field] of [
    [{ name }, "query"],
    [{ query: "kind=chat" }, "name"],
    [{ name: " ", query: "kind=chat" }, "name"],
    [{ name: "a\u0007b", query: "kind=chat" }, "name"],
    [{ name, query: "" }, "query"],
    [{ name, query: "q=&category=" }, "query"],
    [{ name, query: "limit=5&kind=chat" }, "query"],
    [{ name, query: "categroy=science" }, "query"],
    [{ name, query: 5 }, "query"],
    [{ name, query: "ids=one,two" }, "ids"],
    [{ name, query: `q=${"n".repeat(2_000)}` }, "query"],
    [{ name, query: "category=alchemy" }, "category"],
    [{ name, query: "subscribers_min=many&a_plus=perhaps" }, "a_plus,subscribers_min"],
    [{ name, query: "kind=chat", filters: {} }, "filters"],
  ] as const) {
    const answer = await save(body);
    const faults = Object.keys(answer.body).toSorted().join();
    expect([answer.status, faults], JSON.stringify(body).slice(0, 80)).toEqual([400, field]);
  }
  expect((await save({ name, query: "a=%FF%00" })).status).toBe(400);
  for (let at = 1; at <= 30; at++) {
    expect((await save({ name: `List ${at}`, query: `q=news${at}` })).status).toBe(201);
  }
  const full = await save({ name: "One more", query: "q=more" });
  expect([full.status, full.body.code]).toEqual([409, "conflict"]);
});
