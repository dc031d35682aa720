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

/** Posts on a channel's page: their known facts, and staff's button for taking one down. */

const PAGE = "/account/channels/1/";
const BUTTON = 'value="delete-post"';

let appliance: Appliance;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1, { handle: "one" }), channel(2)]);
  await imported(appliance, "posts", [
    {
      ...{ id: 5, channel: 1, text: "Пост", published_at: "2026-11-19T10:00:00+03:00" },
      ...{ edited_at: "2026-11-19T11:00:00+03:00", media: "photo poll", reactions: 4321 },
      ...{ forwards: 7, comments: 0, forwarded_from: 2, forwarded_from_name: "<Второй>" },
    },
    { id: 6, channel: 1, published_at: "2026-11-19T09:00:00+03:00" },
  ]);
  staff = await staffVisitor(appliance);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const member = async (language = "en") => {
  const { organizationId } = await appliance.customer();
  return signedInMember(appliance, organizationId, "owner", `m-${language}@example.com`, language);
};
const status = async (id: number) => (await appliance.get(`/v1/msgr/posts/${id}/`)).status;

test("a post shows its edit, counts, media and origin, and nothing unknown", async () => {
  const { html } = await (await member()).get(PAGE);
  expect(html).toContain("Reactions: 4,321");
  expect(html).toContain("Forwards: 7");
  expect(html).toContain("Comments: 0");
  expect(html).toContain("<span>photo</span><span>poll</span>");
  expect(html).toMatch(/edited <span class="moment"><time datetime="2026-11-19T11:00/);
  expect(html).toContain('<a href="/account/channels/2/"><bdi>&lt;Второй&gt;</bdi></a>');
  expect(html.match(/Reactions/g)).toHaveLength(1);
  const russian = await (await member("ru")).get(PAGE);
  expect(russian.html).toContain("переслано от");
});

test("staff take a post down on the channel's page, and it is recorded", async () => {
  const page = await staff.get(PAGE);
  expect(page.html).toContain(BUTTON);
  expect(page.html).toContain("imports will not bring the post back");
  const done = await staff.post(PAGE, { action: "delete-post", post: 5 });
  expectDone(done, "deleted");
  expect((await staff.get(done.location ?? "")).html).toContain("The post was taken down.");
  expect([await status(5), await status(6)]).toEqual([404, 200]);
  expect((await staff.get(PAGE)).html).not.toContain("&lt;Второй&gt;");
  expect((await appliance.get("/v1/msgr/channels/1/")).body.last_post_at).toBe(
    "2026-11-19T09:00:00+03:00",
  );
  expect(auditOf(appliance)).toEqual([
    {
      ...{ person: STAFF, organizationId: null, action: "post.delete", target: "post 5" },
      details: {},
    },
  ]);
  expect((await staff.get("/staff/audit/")).html).toContain("post taken down");
});

test("others see no button, and a form of their own is refused", async () => {
  const visitor = await member();
  expect((await visitor.get(PAGE)).html).not.toContain(BUTTON);
  expect((await visitor.post(PAGE, { action: "delete-post", post: 5 })).status).toBe(404);
  expect(await status(5)).toBe(200);
});

test("a form without the token, or with an invalid number, takes nothing down", async () => {
  const stale = await staff.post(PAGE, { action: "delete-post", post: 5, csrf: "another" });
  expect(stale.status).toBe(409);
  for (const post of ["99", "", "five", "-5"]) {
    const answer = await staff.post(PAGE, { action: "delete-post", post });
    expect(answer.status, post).toBe(404);
    expect(answer.html, post).toContain("This post does not exist.");
  }
  expect(await status(5)).toBe(200);
});
