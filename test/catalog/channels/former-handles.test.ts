import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const CATALOG = "/v1/msgr/channels/";
const row = (fields: object) => imported(appliance, "channels", [{ ...fields }]);
const idOf = async (path: string): Promise<unknown> => {
  const { status, body } = await appliance.get(path);
  return status === 200 ? body.id : status;
};
const former = async (id: number): Promise<string[]> =>
  (await appliance.get(`${CATALOG}${id}/`)).body.former_handles;

test("a handle that no channel has now finds the channel that had it last, everywhere", async () => {
  await row(channel(5, { handle: "OldName" }));
  await row({ id: 5, handle: "NewName" });
  await imported(appliance, "posts", [
    { id: 9, channel: 5, msgr_post_id: 1, published_at: "2026-11-20T08:00:00Z" },
  ]);
  for (const path of [
    `${CATALOG}oldname/`,
    `${CATALOG}resolve/?q=@OLDNAME`,
    `${CATALOG}resolve/?q=https://t.me/oldname/5`,
  ]) {
    expect((await appliance.get(path)).body, path).toMatchObject({
      id: 5,
      handle: "NewName",
      former_handles: ["OldName"],
    });
  }
  for (const q of ["@oldname", "t.me/OldName"]) {
    const { body } = await appliance.get(`${CATALOG}?q=${encodeURIComponent(q)}`);
    expect(body.results, q).toMatchObject([{ id: 5, handle: "NewName" }]);
  }
  const posts = await appliance.get(`${CATALOG}OldName/posts/`);
  expect(posts.body.results).toMatchObject([{ id: 9 }]);
  const found = await appliance.app.services.channels.findIdsByHandle(["oldname", "NEWNAME", "no"]);
  expect([...found]).toEqual([
    ["oldname", 5],
    ["NEWNAME", 5],
  ]);
});

test("rows of posts and statistics may name a channel by a former handle", async () => {
  await row(channel(5, { handle: "old" }));
  await row({ id: 5, handle: "new" });
  await imported(appliance, "posts", [
    { channel: "@old", msgr_post_id: 1, published_at: "2026-11-20T08:00:00Z" },
  ]);
  await imported(appliance, "stats", [{ channel: "t.me/old", day: "2026-11-19", subscribers: 3 }]);
  const days = await appliance.get(
    "/v1/msgr/stats/daily/?channels=5&from=2026-11-19&to=2026-11-19",
  );
  expect(days.body.results).toMatchObject([{ channel: 5, subscribers: 3 }]);
  expect((await appliance.get(`${CATALOG}5/posts/`)).body.results).toHaveLength(1);
});

test("the current owner of a handle wins over all former ones", async () => {
  await imported(appliance, "channels", [
    channel(1, { handle: "name" }),
    channel(2, { handle: "other" }),
  ]);
  await row({ id: 2, handle: "name" });
  expect(await idOf(`${CATALOG}name/`)).toBe(2);
  expect(await former(1)).toEqual(["name"]);
  await row({ id: 2, handle: "third" });
  expect(await idOf(`${CATALOG}name/`)).toBe(2);
  await row({ id: 1, handle: "NAME" });
  expect(await idOf(`${CATALOG}name/`)).toBe(1);
  // The channel has it again, so it is no longer a former handle.
  expect(await former(1)).toEqual([]);
  await row({ id: 1, handle: null });
  expect(await idOf(`${CATALOG}name/`)).toBe(1);
  expect(await former(1)).toEqual(["NAME"]);
});

test("changing the case of a handle does not give it up", async () => {
  await row(channel(5, { handle: "name" }));
  await row({ id: 5, handle: "Name" });
  expect((await appliance.get(`${CATALOG}name/`)).body).toMatchObject({
    handle: "Name",
    former_handles: [],
  });
});

test("a former handle of a hidden channel finds nothing, not even an earlier owner", async () => {
  await imported(appliance, "channels", [channel(1, { handle: "name" }), channel(2)]);
  await row({ id: 2, handle: "name" });
  await row({ id: 2, handle: null, is_public: false });
  expect(await idOf(`${CATALOG}name/`)).toBe(404);
  await row({ id: 2, is_public: true });
  expect(await idOf(`${CATALOG}name/`)).toBe(2);
});

test("the card shows the newest twenty, newest first, and every former handle finds it", async () => {
  await row(channel(5, { handle: "name0" }));
  for (let at = 1; at <= 22; at++) {
    appliance.ports.clock.advance(1000);
    await row({ id: 5, handle: `name${at}` });
  }
  const names = Array.from({ length: 22 }, (_, at) => `name${21 - at}`);
  expect(await former(5)).toEqual(names.slice(0, 20));
  for (const name of names) expect(await idOf(`${CATALOG}${name}/`)).toBe(5);
});

test("an import adds former handles in their order, and removes none", async () => {
  const rows = [channel(5, { handle: "now", former_handles: "third @second first" })];
  await imported(appliance, "channels", rows);
  expect(await former(5)).toEqual(["third", "second", "first"]);
  expect((await appliance.importRows("channels", rows)).unchanged).toBe(1);
  for (const name of ["first", "SECOND", "third"]) {
    expect(await idOf(`${CATALOG}${name}/`)).toBe(5);
  }
  await row({ id: 5, former_handles: ["second", "now"] });
  expect(await former(5)).toEqual(["third", "second", "first"]);
  await row({ id: 5, handle: "later" });
  expect(await former(5)).toEqual(["now", "third", "second", "first"]);
  const bad = ["fine not/fine", "fine@yesterday", "fine@2126-11-20T12:00:00Z", "a@b@c"];
  const { rejects } = await appliance.importRows(
    "channels",
    bad.map((former_handles) => ({ id: 5, former_handles })),
  );
  expect(rejects.map(({ column }) => column)).toEqual(bad.map(() => "former_handles"));
});

test("a former handle of two channels finds the one that gave it up last, in whatever order they were imported", async () => {
  await imported(appliance, "channels", [
    channel(5, { former_handles: "@name@2026-11-02T12:00:00Z long_ago" }),
    channel(6, { former_handles: ["name@2026-11-01T12:00:00.5+03:00"] }),
  ]);
  expect(await idOf(`${CATALOG}name/`)).toBe(5);
  expect(await former(5)).toEqual(["name", "long_ago"]);
  // Customers see until when, where that is known.
  await addPerson(appliance);
  const ada = await signedInVisitor(appliance, "ada@example.com");
  const { html } = await ada.get("/account/channels/5/");
  expect(html).toMatch(/@name<small> until <time[^>]*>2 Nov 2026/);
  expect(html).toContain("<li>@long_ago</li>");
});
