import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  expectDone,
  STAFF,
  signedInMember,
  staffVisitor,
  type Visitor,
} from "../../support/visitor.ts";

/** Staff's pages of channels and posts: searching, viewing, editing, hiding, deleting, taking down. */

const LIST = "/staff/channels/";
const PAGE = "/staff/channels/1/";
const POSTS = "/staff/posts/";

let appliance: Appliance;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "one", title: "Ёлка <b>один</b>", msgr_id: "777", category: "news" }),
    channel(2, { handle: "two", title: "Второй канал" }),
    channel(3, { handle: "three", title: "Скрытый канал", is_public: false }),
  ]);
  await imported(appliance, "channels", [{ id: 1, handle: "one_more" }]);
  await imported(appliance, "posts", [
    { id: 5, channel: 1, text: "Привет, МИР", published_at: "2026-11-19T10:00:00+03:00" },
    { id: 6, channel: 1, text: "номер 5", published_at: "2026-11-19T09:00:00+03:00" },
    { id: 7, channel: 3, text: "мир в скрытом", published_at: "2026-11-19T08:00:00+03:00" },
  ]);
  staff = await staffVisitor(appliance);
});
afterEach(async () => {
  await appliance.app.workAfterAnswers();
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const card = async (id: number) => (await appliance.get(`/v1/msgr/channels/${id}/`)).body;
const status = async (path: string) => (await appliance.get(`/v1/msgr/${path}`)).status;
const rowsOf = (html: string) =>
  [...html.matchAll(/href="\/staff\/channels\/(\d+)\/"/g)].map(([, id]) => Number(id));
const postsOf = (html: string) =>
  [...html.matchAll(/name="posts" value="(\d+)"/g)].map(([, id]) => Number(id));
const find = async (q: string) =>
  rowsOf((await staff.get(`${LIST}?q=${encodeURIComponent(q)}`)).html);
const drawnOf = (html: string, name: string) =>
  new RegExp(`name="before-${name}" value="([^"]*)"`).exec(html)?.[1];

/** The form's fields as rendered, some of them changed. */
async function edit(typed: Record<string, string>, path = PAGE) {
  const { html } = await staff.get(path);
  const fields: Record<string, string> = {};
  for (const [, name = "", value = ""] of html.matchAll(/name="before-(\w+)" value="([^"]*)"/g)) {
    const plain = value.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    fields[`before-${name}`] = plain;
    if (plain !== "no" || !["a_plus", "verified"].includes(name)) fields[name] = plain;
  }
  return staff.post(path, { action: "edit", ...fields, ...typed });
}

test("a channel is found by number, handles, title, link and messenger id, hidden or not", async () => {
  expect(rowsOf((await staff.get(LIST)).html)).toEqual([1, 2, 3]);
  for (const q of ["1", "@one_more", "@one", "https://t.me/one_more", "777", "елка", "ЁЛ"]) {
    expect(await find(q), q).toEqual([1]);
  }
  expect(await find("канал")).toEqual([2, 3]);
  expect(await find("скрытый")).toEqual([3]);
  const none = await staff.get(`${LIST}?q=nobody-has-this`);
  expect(none.html).toContain("No channel was found by number");
});

test("a channel is shown as stored, with former handles and messenger id", async () => {
  const { html } = await staff.get(PAGE);
  expect(html).toContain("<dt>Former handles</dt><dd><bdi>@one</bdi></dd>");
  expect(html).toContain("<dt>Messenger id</dt><dd><bdi>777</bdi></dd>");
  expect(html).toContain("<h1>Ёлка &lt;b&gt;один&lt;/b&gt;</h1>");
  expect((await staff.get("/staff/channels/3/")).html).toContain("<dt>State</dt><dd>hidden</dd>");
  expect((await staff.get("/staff/channels/99/")).status).toBe(404);
});

test("fields are edited by the import's rules, and the change is recorded with their names", async () => {
  const done = await edit({ title: "Новое имя", category: "science", a_plus: "yes", link: "" });
  expectDone(done, "edited");
  expect((await staff.get(done.location ?? "")).html).toContain("The channel was changed.");
  expect(await card(1)).toMatchObject({
    ...{ title: "Новое имя", category: "science", a_plus: true, handle: "one_more" },
  });
  expect(await find("новое имя")).toEqual([1]);
  expect(auditOf(appliance)).toEqual([
    {
      ...{ person: STAFF, organizationId: null, action: "channel.change", target: "channel 1" },
      details: { name: "Новое имя", fields: "title category a_plus" },
    },
  ]);
  await appliance.app.workAfterAnswers();
  const { body } = await appliance.get("/v1/msgr/categories/");
  const countOf = (slug: string) =>
    body.results.find((one: Record<string, unknown>) => one["slug"] === slug)?.channels;
  expect([countOf("news"), countOf("science")]).toEqual([0, 1]);
});

test("a form without changes changes nothing and records nothing", async () => {
  expectDone(await edit({}), "unchanged");
  expect(auditOf(appliance)).toEqual([]);
});

test("values that a source wrote after the form was rendered are kept", async () => {
  const before = await staff.get(PAGE);
  const drawn = drawnOf(before.html, "subscribers") ?? "";
  await imported(appliance, "channels", [{ id: 1, subscribers: 123_456 }]);
  const sent = { subscribers: drawn, "before-subscribers": drawn };
  expectDone(await edit({ ...sent, title: "Another" }), "edited");
  expect(await card(1)).toMatchObject({ title: "Another", subscribers: 123_456 });
});

test("every fault is reported at its field with what was typed, and nothing is changed", async () => {
  const before = await card(1);
  const answer = await edit({
    ...{
      title: " ",
      subscribers: "many",
      handle: "не имя",
      link: "ftp://x",
      category: "none_such",
    },
    ...{ quality: "high", description: "Новое" },
  });
  expect(answer.status).toBe(400);
  for (const name of ["title", "subscribers", "handle", "link", "quality"]) {
    expect(answer.html, name).toContain(`id="edit-${name}-fault"`);
  }
  expect(answer.html).toContain("Новое</textarea>");
  expect(answer.html).toContain('value="many"');
  const unknown = await edit({ category: "none_such" });
  expect(unknown.html).toContain('id="edit-category-fault"');
  const taken = await edit({ msgr_id: "777" }, "/staff/channels/2/");
  expect(taken.html).toContain('id="edit-msgr_id-fault"');
  expect(await card(1)).toEqual(before);
  expect(auditOf(appliance)).toEqual([]);
});

test("another channel's handle moves, and the record says from where", async () => {
  expectDone(await edit({ handle: "@two" }), "edited");
  expect(await card(2)).toMatchObject({ handle: null });
  expect(auditOf(appliance)[0]?.details).toMatchObject({ fields: "handle", from: 2 });
});

test("characters that pages remove stay in a text that was not edited", async () => {
  const description = "стоит \u202eзадом\nнаперёд";
  await imported(appliance, "channels", [{ id: 2, description }]);
  const shown = description.replace("\u202e", "").replace("\n", "\r\n");
  const done = await edit({ description: shown, title: "Два" }, "/staff/channels/2/");
  expectDone(done, "edited");
  expect(await card(2)).toMatchObject({ title: "Два", description });
});

test("a channel is hidden and shown again, and both are recorded", async () => {
  expectDone(await staff.post(PAGE, { action: "hide" }), "channel.hide");
  expect(await status("channels/1/")).toBe(404);
  expectDone(await staff.post(PAGE, { action: "unhide" }), "channel.unhide");
  expect(await status("channels/1/")).toBe(200);
  expect(auditOf(appliance).map(({ action }) => action)).toEqual([
    "channel.hide",
    "channel.unhide",
  ]);
});

test("a channel is deleted after a question that names it, together with its posts", async () => {
  const { html } = await staff.get(PAGE);
  expect(html).toContain(
    "This deletes “Ёлка &lt;b&gt;один&lt;/b&gt;”, @one_more, number 1 with its posts (2)",
  );
  const done = await staff.post(PAGE, { action: "delete" });
  expectDone(done, "deleted");
  await appliance.app.workAfterAnswers();
  expect(await status("channels/1/")).toBe(404);
  expect(await status("posts/5/")).toBe(404);
  expect((await staff.get(done.location ?? "")).html).toContain(
    "Its posts and days are being removed",
  );
  expect((await staff.get(PAGE)).status).toBe(404);
  expect(auditOf(appliance).map(({ action, target }) => [action, target])).toEqual([
    ["channel.delete", "channel 1"],
  ]);
  expect(
    (await staff.post(`${LIST}99/`, { action: "delete", csrf: await staff.csrf(LIST) })).status,
  ).toBe(404);
});

test("posts are found by number and by part of their text, in all channels and in one", async () => {
  const found = async (path: string, q: string) =>
    postsOf((await staff.get(`${path}?q=${encodeURIComponent(q)}`)).html);
  expect(await found(POSTS, "")).toEqual([7, 6, 5]);
  expect(await found(POSTS, "мир")).toEqual([7, 5]);
  expect(await found(POSTS, "5")).toEqual([5, 6]);
  expect(await found(PAGE, "мир")).toEqual([5]);
  expect(await found(PAGE, "7")).toEqual([]);
  expect((await staff.get(`${POSTS}?q=nothing`)).html).toContain("No posts found.");
});

test("without any posts, their page links to the imports", async () => {
  for (const id of [5, 6, 7])
    appliance.app.domains.db.prepare("DELETE FROM posts WHERE id = ?").run(id);
  const { html } = await staff.get(POSTS);
  expect(html).toContain("Nothing yet.");
  expect(html).toContain(`Nothing yet. <a href="/staff/imports/">`);
});

test("each page of posts continues where the previous one ended", async () => {
  const more = Array.from({ length: 45 }, (_, at) => ({
    ...{ id: 100 + at, channel: 2, text: "серия" },
    published_at: `2026-11-18T10:00:${at % 2}0+03:00`,
  }));
  await imported(appliance, "posts", more);
  for (const path of [`${POSTS}?q=серия`, "/staff/channels/2/"]) {
    const seen: number[] = [];
    let at: string | undefined = path;
    while (at !== undefined) {
      const { html } = await staff.get(at);
      seen.push(...postsOf(html));
      at = /<a href="([^"]*after=[^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen.toSorted((one, other) => one - other)).toEqual(more.map(({ id }) => id));
  }
});

test("a post is taken down where it was found, once, and recorded", async () => {
  const path = `${POSTS}?q=${encodeURIComponent("мир")}`;
  const done = await staff.post(path, { action: "take-down", posts: 7 });
  expectDone(done, "post.delete");
  expect(done.location).toContain("q=");
  expect((await staff.get(done.location ?? "")).html).toContain("Post taken down.");
  const other = await staff.post(PAGE, { action: "take-down", posts: 7 });
  expect(other.html).toContain("This post does not exist.");
  expectDone(await staff.post(PAGE, { action: "take-down", posts: 5 }), "post.delete");
  expect(await status("posts/5/")).toBe(404);
  expect(auditOf(appliance).map(({ action, target }) => [action, target])).toEqual([
    ["post.delete", "post 7"],
    ["post.delete", "post 5"],
  ]);
});

test("an address names a channel by its own number only, not by its messenger id", async () => {
  const address = "/staff/channels/777/";
  expect((await staff.get(address)).status).toBe(404);
  for (const action of ["delete", "hide"]) {
    const csrf = await staff.csrf(PAGE);
    expect((await staff.post(address, { action, csrf })).status, action).toBe(404);
  }
  expect(await status("channels/1/")).toBe(200);
});

test("others find none of these pages, and their forms do nothing", async () => {
  const { organizationId } = await appliance.customer();
  const member = await signedInMember(appliance, organizationId, "owner", "m@example.com");
  const csrf = await member.csrf("/account/");
  for (const path of [LIST, PAGE, POSTS]) expect((await member.get(path)).status, path).toBe(404);
  for (const action of ["delete", "hide", "edit", "take-down"]) {
    expect((await member.post(PAGE, { action, csrf, post: 5 })).status, action).toBe(404);
  }
  expect(await status("channels/1/")).toBe(200);
  expect(await status("posts/5/")).toBe(200);
});
