import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { englishIn } from "../../support/russian.ts";
import {
  STAFF,
  signedInVisitor,
  staffVisitor,
  type Visitor,
  visitorOf,
} from "../../support/visitor.ts";

/** A form with several faults reports all of them, each at its field, and keeps what was typed. */

let appliance: Appliance;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  staff = await staffVisitor(appliance);
});
afterEach(() => appliance.close());

const BLANK = "This field may not be blank.";
const NO_OPTION = "Choose one of the options.";
const NO_EMAIL = "Enter a valid email address.";
const NO_DAY = "Enter a day such as 2027-12-31.";
const SHORT = "Ensure this field has at least 10 characters.";

/** Faults of a form by field. */
function faultsOf(html: string, action: string): Record<string, string> {
  const found = html.matchAll(/<strong class="fault" id="([\w-]+)-fault">([^<]*)<\/strong>/g);
  return Object.fromEntries(
    [...found].map(([, id = "", text = ""]) => {
      return [id.slice(action.length + 1), text.replaceAll("&#39;", "'").replaceAll("&quot;", '"')];
    }),
  );
}

/** Forms with several faults, and the message at each field. */
const FAULTY = [
  [
    "/account/members/",
    { action: "invite", email: "none", name: " ", role: "king" },
    { email: NO_EMAIL, name: BLANK, role: NO_OPTION },
  ],
  [
    "/account/members/",
    { action: "invite", email: "boss@example.com", name: "x".repeat(201), role: "king" },
    {
      email: "boss@example.com is already a member of this organization.",
      name: "Ensure this field has no more than 200 characters.",
      role: NO_OPTION,
    },
  ],
  [
    "/account/keys/",
    { action: "create", name: "", access: "all", expires: "soon" },
    { name: BLANK, access: NO_OPTION, expires: NO_DAY },
  ],
  [
    "/account/keys/",
    { action: "create", name: "a\u0007b", access: "read_only", expires: "2001-01-01" },
    { name: "Control characters are not allowed.", expires: "The day is over already." },
  ],
  [
    "/account/profile/",
    { action: "change-password", password: "wrong wrong", newPassword: "short" },
    { password: "This is not your current password.", newPassword: SHORT },
  ],
  [
    "/account/webhooks/",
    { action: "create", url: "http://x", channels: "" },
    { url: "Enter a valid https:// address.", channels: "This field is required." },
  ],
  [
    "/account/webhooks/",
    { action: "create", url: "https://private.example.com/", channels: "@nobody" },
    {
      url: expect.stringContaining("Enter an address on the internet"),
      channels: "There is no public channel @nobody.",
    },
  ],
  [
    "/account/webhooks/",
    { action: "create", url: "https://private.example.com/", channels: "77" },
    {
      url: expect.stringContaining("Enter an address on the internet"),
      channels: "There are no public channels with the numbers 77.",
    },
  ],
  [
    "/account/webhooks/",
    { action: "create", url: "http://x", channels: "@nobody ?? @no_one" },
    {
      url: "Enter a valid https:// address.",
      channels:
        "This is neither a number nor an @handle: ??. There is no public channel @nobody, @no_one.",
    },
  ],
  [
    "/staff/organizations/",
    { action: "create", name: "", plan: "gold" },
    {
      name: "This field is required.",
      plan: '"gold" is not a valid choice. Allowed: test, start, growth, profi.',
    },
  ],
  [
    "/staff/organizations/1/",
    { action: "plan", plan: "gold", ends: "2025-02-30" },
    {
      plan: '"gold" is not a valid choice. Allowed: test, start, growth, profi.',
      ends: "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
    },
  ],
  [
    "/staff/organizations/1/",
    { action: "plan", plan: "test", ends: "2001-01-01" },
    { ends: "The day is over already." },
  ],
  [
    "/staff/organizations/1/",
    { action: "add-owner", email: "none", name: "x".repeat(201) },
    { email: NO_EMAIL, name: "Ensure this field has no more than 200 characters." },
  ],
  [
    "/staff/imports/",
    { action: "import", kind: "people" },
    { kind: '"people" is not a valid choice.', file: "No file was chosen." },
  ],
] as const;

test("every form reports all its faults at once, in the visitor's language", async () => {
  await imported(appliance, "channels", [channel(1)]);
  appliance.ports.network.names.set("private.example.com", ["10.0.0.1"]);
  const russian = await signedInVisitor(appliance, STAFF, "ru");
  for (const [path, fields, faults] of FAULTY) {
    const { status, html } = await staff.post(path, fields);
    expect(status, path).toBe(400);
    expect(faultsOf(html, fields.action), path).toEqual(faults as never);
    const inRussian = faultsOf((await russian.post(path, fields)).html, fields.action);
    expect(Object.keys(inRussian), path).toEqual(Object.keys(faults));
    for (const fault of Object.values(inRussian)) {
      expect(fault).toMatch(/[а-я]{3}/);
      // Codes of plans are typed as they are.
      expect(englishIn(fault.replace(/Возможны: .*/, "")), fault).toEqual([]);
    }
    for (const [name, value] of Object.entries(fields)) {
      if (/action|role|access|plan|kind|channels|password/i.test(name) || value === "") continue;
      expect(html, `${path} ${name}`).toContain(`value="${value}"`);
    }
  }
});

test("the set-up form reports all its faults at once", async () => {
  await appliance.close();
  appliance = await startAppliance();
  const path = (await appliance.app.setUpPath()) ?? "";
  const token = path.split("token=")[1] ?? "";
  const typed = { action: "set-up", name: "", email: "none", password: "short", organization: " " };
  const { status, body } = await visitorOf(appliance).post(path, { ...typed, token });
  expect(status).toBe(400);
  expect(faultsOf(body, "set-up")).toEqual({
    name: BLANK,
    email: NO_EMAIL,
    password: SHORT,
    organization: BLANK,
  });
});
