import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import { expectDone, signedInMember, type Visitor } from "../../support/visitor.ts";

const SCIENCE = "/account/channels/?category=science&ordering=-growth_30d";

let appliance: Appliance;
let organizationId: number;
let member: Visitor & { memberId: number };
beforeEach(async () => {
  appliance = await startAppliance();
  ({ organizationId } = await appliance.customer());
  member = await signedInMember(appliance, organizationId, "member", "nina@example.com");
  await imported(appliance, "channels", [channel(1, { category: "science" })]);
});
afterEach(() => appliance.close());

const saving = (path: string, name: string, visitor: Visitor = member) =>
  visitor.post(path, { action: "save-list", name });
/** Names and addresses of the saved lists that a page shows. */
const listsOn = ({ html }: { html: string }): string[][] => {
  const [nav = ""] =
    /<nav aria-label="(Saved lists|Сохранённые списки)".*?<\/nav>/.exec(html) ?? [];
  return [...nav.matchAll(/<a href="([^"]*)"[^>]*><bdi>([^<]*)/g)].map(
    ([, href = "", name = ""]) => [name, href.replaceAll("&amp;", "&")],
  );
};
const numberOf = async (path: string): Promise<string> =>
  /name="list" value="(\d+)"/.exec((await member.get(path)).html)?.[1] ?? "";

test("filters and ordering are saved under a name by any member, opened, renamed and deleted", async () => {
  const first = await member.get(SCIENCE);
  expect(first.html).toContain("Save as a list");
  expect(listsOn(first)).toEqual([]);
  const saved = await saving(SCIENCE, " Growing science ");
  expectDone(saved, "saved-list.create");
  expect((await member.get(saved.location ?? "")).html).toContain("List saved.");
  const anywhere = await member.get("/account/channels/");
  expect(listsOn(anywhere)).toEqual([["Growing science", SCIENCE]]);
  const opened = await member.get("/account/channels/?ordering=-growth_30d&category=science");
  expect(opened.html).toContain(`aria-current="true"><bdi>Growing science`);
  expect(opened.html).not.toContain("Save as a list");

  const list = await numberOf(SCIENCE);
  expectDone(
    await member.post(SCIENCE, { action: "rename-list", list, name: "Physics" }),
    "saved-list.rename",
  );
  expect(listsOn(await member.get(SCIENCE))).toEqual([["Physics", SCIENCE]]);
  expectDone(await member.post(SCIENCE, { action: "delete-list", list }), "saved-list.delete");
  expect(listsOn(await member.get(SCIENCE))).toEqual([]);
  expect(
    auditOf(appliance).map(({ action, target, details }) => [action, target, details]),
  ).toEqual([
    ["saved-list.create", `saved-list ${list}`, { name: "Growing science" }],
    ["saved-list.rename", `saved-list ${list}`, { name: "Physics" }],
    ["saved-list.delete", `saved-list ${list}`, { name: "Physics" }],
  ]);
});

test("they are the member's own: nobody else sees or changes them, and they go with the member", async () => {
  await saving(SCIENCE, "Mine");
  const list = await numberOf(SCIENCE);
  const other = await signedInMember(appliance, organizationId, "owner", "olga@example.com");
  expect(listsOn(await other.get(SCIENCE))).toEqual([]);
  for (const action of ["rename-list", "delete-list"]) {
    const answer = await other.post(SCIENCE, { action, list, name: "Theirs" });
    expect(answer.status, action).toBe(404);
  }
  expect(listsOn(await member.get(SCIENCE))).toEqual([["Mine", SCIENCE]]);
  const { db } = appliance.app.domains;
  db.prepare("DELETE FROM members WHERE id = ?").run(member.memberId);
  expect(db.prepare("SELECT count(*) FROM saved_lists").pluck().get()).toBe(0);
});

test("a name is needed, one line, and not used before; invalid filters and too many lists are refused", async () => {
  await saving(SCIENCE, "Mine");
  const other = "/account/channels/?q=news";
  for (const [name, fault] of [
    ["", "may not be blank"],
    ["a\u0007b", "Control characters"],
    ["n".repeat(201), "no more than"],
    ["Mine", "You have a list with this name already."],
  ] as const) {
    const answer = await saving(other, name);
    expect([answer.status, answer.html.includes(fault)], name).toEqual([400, true]);
  }
  const again = await saving(SCIENCE, "Mine too");
  expect([again.status, again.html.includes("as the list Mine")]).toEqual([409, true]);
  for (const path of [
    "/account/channels/?category=nothing",
    `/account/channels/?ids=${Array(900).fill(1000).join()}`,
  ]) {
    expect((await saving(path, "Refused")).status, path).toBe(400);
  }
  for (let at = 1; at < 30; at++) await saving(`/account/channels/?q=news${at}`, `List ${at}`);
  const full = await saving("/account/channels/?q=news30", "One more");
  expect(full.status).toBe(409);
  expect(full.html).toContain("You can save at most 30 lists");
  expect(listsOn(await member.get(SCIENCE))).toHaveLength(30);
});

test("a list whose category is gone can still be renamed and deleted; the page is in Russian too", async () => {
  await saving("/account/channels/?category=science", "Наука");
  const { db } = appliance.app.domains;
  db.prepare("UPDATE saved_lists SET query = 'category=alchemy'").run();
  const path = "/account/channels/?category=alchemy";
  const page = await member.get(path);
  expect(page.status).toBe(400);
  expectDone(
    await member.post(path, { action: "delete-list", list: await numberOf(path) }),
    "saved-list.delete",
  );
  const russian = await signedInMember(
    appliance,
    organizationId,
    "member",
    "ira@example.com",
    "ru",
  );
  const saved = await saving(SCIENCE, "Растущие", russian);
  expect((await russian.get(saved.location ?? "")).html).toContain("Список сохранён.");
  expect(listsOn(await russian.get(SCIENCE))).toEqual([["Растущие", SCIENCE]]);
});
