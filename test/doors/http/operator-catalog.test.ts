import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { type OperatorApi, operatorApi } from "../../support/operator-api.ts";

/** What the operator's programs do with channels, posts and exports, over the real application. */

let appliance: Appliance;
let operator: OperatorApi;
beforeEach(async () => {
  appliance = await startAppliance();
  operator = await operatorApi(appliance);
  await imported(appliance, "channels", [
    channel(1),
    { ...channel(2), handle: "second_one" },
    channel(3),
  ]);
  await imported(
    appliance,
    "posts",
    [1, 2, 3].map((id) => ({ id, channel: id, published_at: "2026-01-01T12:00:00+03:00" })),
  );
});
afterEach(() => appliance.close());

const status = async (id: number) => (await appliance.get(`/v1/msgr/channels/${id}/`)).status;
const posts = async (id: number) =>
  (await appliance.get(`/v1/msgr/channels/${id}/posts/`)).body.results.length;

test("channels are listed, found by name, and shown with what they have", async () => {
  const first = await operator.get("channels/?limit=2&fields=id");
  expect(first.body.results).toEqual([{ id: 1 }, { id: 2 }]);
  const rest = await operator.get(`channels/${new URL(first.body.next).search}`);
  expect(rest.body).toEqual({ results: [{ id: 3 }], next: null });
  const named = await operator.get("channels/?q=@second_one");
  expect(named.body.results).toMatchObject([{ id: 2, is_public: true }]);
  expect((await operator.get("channels/?q=@nobody")).body.results).toEqual([]);
  expect((await operator.get("channels/2/")).body).toMatchObject({ posts: 1, days: 0 });
  expect((await operator.get("channels/9/")).status).toBe(404);
});

test("a channel is hidden and shown again, merged and deleted", async () => {
  expect((await operator.send("POST", "channels/1/hide/")).body.is_public).toBe(false);
  expect(await status(1)).toBe(404);
  expect((await operator.send("POST", "channels/1/unhide/")).body.is_public).toBe(true);
  expect(await status(1)).toBe(200);

  const merged = await operator.post("channels/1/merge/", { into: 2 });
  expect(merged.body.id).toBe(2);
  await appliance.app.workAfterAnswers();
  expect(await status(1)).toBe(404);
  expect(await posts(2)).toBe(2);

  expect((await operator.send("DELETE", "channels/2/")).status).toBe(204);
  expect(await status(2)).toBe(404);
  for (const [verb, path, body, expected] of [
    ["POST", "channels/9/hide/", {}, 404],
    ["POST", "channels/3/merge/", {}, 400],
    ["POST", "channels/3/merge/", { into: 3 }, 400],
    ["POST", "channels/3/merge/", { into: 9 }, 404],
    ["DELETE", "channels/2/", undefined, 404],
    ["DELETE", "posts/", undefined, 400],
    ["DELETE", "posts/?posts=x", undefined, 400],
    ["DELETE", "posts/?posts=3,99", undefined, 404],
  ] as const) {
    const answer =
      body === undefined ? await operator.send(verb, path) : await operator.post(path, body);
    expect(answer.status, `${verb} ${path}`).toBe(expected);
  }
  expect(await posts(3)).toBe(1);
});

test("posts are taken down, and pushing them again does not bring them back", async () => {
  expect((await operator.send("DELETE", "posts/?posts=1,3")).status).toBe(204);
  expect((await appliance.get("/v1/msgr/posts/3/")).status).toBe(404);
  const row = { id: 3, channel: 3, published_at: "2026-01-01T12:00:00+03:00" };
  const pushed = await operator.post("posts/", { rows: [row] });
  expect(pushed.body).toMatchObject({ accepted: 0, unchanged: 1 });
  const audit = appliance.app.domains.db
    .prepare("SELECT person, target FROM audit_log WHERE action = 'post.delete'")
    .all();
  expect(audit).toEqual([
    { person: "operator key 1 (crawler)", target: "post 1" },
    { person: "operator key 1 (crawler)", target: "post 3" },
  ]);
});

test("an export is a file that another appliance imports, and wrong selections are refused", async () => {
  await operator.send("POST", "channels/3/hide/");
  const file = await operator.get("exports/?kind=channels");
  expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(file.body.trim().split("\n")).toHaveLength(4);
  const lines = await operator.get("exports/?kind=posts&format=ndjson&channel=2");
  expect(JSON.parse(lines.body)).toMatchObject({ id: 2, channel: 2 });
  for (const [query, field] of [
    ["", "kind"],
    ["kind=channels&from=2026-01-01", "from"],
    ["kind=posts&from=yesterday", "from"],
    ["kind=posts&channel=@nobody", "channel"],
    ["kind=posts&format=ndjson&raw=true", "raw"],
  ] as const) {
    const { status: refused, body } = await operator.get(`exports/?${query}`);
    expect(refused, query).toBe(400);
    expect(Object.keys(body)).toEqual([field]);
  }
});
