/** One use of each verb of the operator, in a house with a customer, its webhook and a key of the operator. */

type Value = boolean | number | string;

export interface Case {
  /** Key of the object that it concerns. */
  of?: number | string;
  args?: Readonly<Record<string, Value>>;
  /** A verb of the same resource that is used before, so that this one has something to do. */
  after?: string;
  /** Key of the object that the verb before concerns, if it is another one. */
  afterOf?: number;
  /** Whether another use would do it again, or is refused, because nothing is left to do. */
  isOnce?: true;
  /** What the row, or the list, has at least. */
  row: object;
  /** What is recorded about it. */
  audit?: readonly object[];
  /** What a command tells beside its result. */
  notes?: string;
  /** The form of staff's console, with fields beside the arguments. */
  form?: { path: string; fields?: Readonly<Record<string, Value>> };
}

const ACME = "/staff/organizations/1/";
const NOW = "2026-11-20T12:00:00+03:00";
const RECEIVER = "https://billing.example.com/events";
const ENDS = { expires: "2099-12-31" };

const inAcme = (action: string, details: object = {}, target = "organization 1") => [
  { organizationId: 1, action, target, details },
];

const acme = { id: 1, name: "Acme", plan: "profi", plan_ends_at: null, used: 0, archived_at: null };
const ada = { id: 1, organization: 1, email: "ada@example.com", name: "Ada", role: "owner" };
const key = { id: 1, member: 1, name: "test", access: "read_write", expires_at: null };
const run = { id: 1, kind: "channels", file: "rows.csv", state: "done", inserted: 1, rejected: 0 };
const webhook = { id: 1, organization: 1, url: "https://hooks.example.com/posts", channels: 1 };
const alert = { id: 1, organization: 1, name: "Craters", q: "кратер", webhook: 1, channel: null };
const backup = { name: "kanalog-2026-11-20T04-00-00.backup", bytes: 8 };
const bob = { email: "bob@example.com", organizations: [], is_staff: true, sessions: 1 };
const BOB = `/staff/people/${bob.email}/`;
const source = { id: 1, name: "prices", kind: "folder", rows: "channels", state: "new" };

export const CASES: Readonly<Record<string, Case>> = {
  "organization create": {
    args: { name: " New ", plan: "growth", owner: "eve@example.com", write: true },
    row: { id: 3, name: "New", plan: "growth", plan_ends_at: null, member: 3, key_id: 2 },
    audit: [
      { organizationId: 3, action: "organization.create", target: "organization 3" },
      { organizationId: 3, action: "member.add", details: { email: "eve@example.com" } },
      { organizationId: 3, action: "key.create", details: { member: 3, access: "read_write" } },
    ],
  },
  "organization list": { row: [acme, { id: 2, name: "Acme" }] },
  "organization show": { of: 1, row: acme },
  "organization plan": {
    of: 1,
    args: { plan: "growth", ends: "2099-01-31" },
    row: { ...acme, plan: "growth", plan_ends_at: "2099-02-01T00:00:00+03:00" },
    audit: inAcme("organization.plan", { plan: "growth", ends: "2099-02-01T00:00:00+03:00" }),
    form: { path: ACME },
  },
  "organization usage": {
    of: 1,
    args: { from: "2026-11-01", to: "2026-11-20" },
    row: ["msgr_alerts_create", "msgr_webhooks_create", "msgr_webhooks_test"].map((method) => {
      return { day: "2026-11-20", method, key: 1, requests: 1, units: 0, errors: 0 };
    }),
  },
  "organization archive": {
    of: 1,
    row: { ...acme, archived_at: NOW },
    audit: inAcme("organization.archive"),
    form: { path: ACME },
  },
  "organization restore": {
    of: 1,
    after: "archive",
    row: acme,
    audit: inAcme("organization.restore"),
    form: { path: ACME },
  },
  "member add": {
    args: { organization: 1, email: "bob@example.com", name: "Bob", role: "owner" },
    row: { id: 3, organization: 1, email: "bob@example.com", name: "Bob", role: "owner" },
    audit: inAcme("member.add", { email: "bob@example.com", role: "owner" }, "member 3"),
    form: { path: ACME, fields: { action: "add-owner" } },
  },
  "member list": { args: { organization: 1 }, row: [ada] },
  "member role": {
    of: 1,
    args: { role: "administrator" },
    row: { ...ada, role: "administrator" },
    audit: inAcme("member.role", { role: "administrator" }, "member 1"),
    notes: "The organization has no owner now: appoint one with `kanalog member role`.\n",
    form: { path: ACME, fields: { member: 1 } },
  },
  "member suspend": {
    of: 1,
    row: { ...ada, suspended_at: NOW },
    audit: inAcme("member.suspend", {}, "member 1"),
    form: { path: ACME, fields: { member: 1 } },
  },
  "member restore": {
    of: 1,
    after: "suspend",
    row: { ...ada, suspended_at: null },
    audit: inAcme("member.restore", {}, "member 1"),
    form: { path: ACME, fields: { action: "reinstate", member: 1 } },
  },
  "key create": {
    args: { member: 1, name: "CI", write: true, ...ENDS },
    row: { id: 2, member: 1, name: "CI", access: "read_write", created_at: NOW },
    audit: inAcme("key.create", { member: 1, name: "CI" }, "key 2"),
  },
  "key list": { args: { organization: 1 }, row: [key] },
  "key revoke": {
    of: 1,
    row: { ...key, revoked_at: NOW },
    audit: inAcme("key.revoke", {}, "key 1"),
    form: { path: ACME, fields: { key: 1 } },
  },
  "plan list": { row: ["test", "start", "growth", "profi", "spare"].map((plan) => ({ plan })) },
  "plan create": {
    args: { code: "enterprise", like: "profi", rate: 60 },
    row: {
      plan: "enterprise",
      requests_per_second: 60,
      requests_per_period: 1_000_000,
      export: true,
    },
    audit: [{ organizationId: null, action: "plan.create", target: "plan enterprise" }],
    form: { path: "/staff/plans/" },
  },
  "plan delete": {
    of: "spare",
    isOnce: true,
    row: { plan: "spare" },
    audit: [{ organizationId: null, action: "plan.delete", target: "plan spare" }],
    form: { path: "/staff/plans/", fields: { action: "delete-spare" } },
  },
  "plan set": {
    of: "start",
    args: { quota: 7, webhook_channels: 3 },
    row: { plan: "start", requests_per_period: 7, webhook_channels: 3 },
    audit: [{ organizationId: null, action: "plan.set", target: "plan start" }],
  },
  "plan offer list": {
    row: ["test", "start", "growth", "profi", "spare"].map((plan) => ({ plan })),
  },
  "plan offer set": {
    of: "start",
    args: { price: 199_000, currency: "RUB", name_en: "Basic", stripe_price: "price_1" },
    row: { plan: "start", price: 199_000, per: "month", name_en: "Basic", stripe_price: "price_1" },
    audit: [{ organizationId: null, action: "plan.offer", target: "plan start" }],
  },
  "plan request list": { row: [{ organization: 1, plan: "growth", note: "More posts" }] },
  "plan request close": {
    of: 1,
    isOnce: true,
    row: { organization: 1, plan: "growth", person: "", created_at: NOW },
    audit: inAcme("organization.close-request", { plan: "growth" }),
    form: { path: ACME, fields: { action: "close-request" } },
  },
  "webhook list": { args: { organization: 1 }, row: [webhook] },
  "webhook show": { of: 1, row: webhook },
  "webhook disable": {
    of: 1,
    args: { reason: "Hangs for days" },
    row: { ...webhook, is_active: false, disabled_reason: "staff", staff_note: "Hangs for days" },
    audit: inAcme("webhook.disable", { reason: "Hangs for days" }, "webhook 1"),
    form: { path: "/staff/webhooks/1/" },
  },
  "webhook enable": {
    of: 1,
    after: "disable",
    row: { ...webhook, is_active: true, disabled_reason: "", staff_note: "" },
    audit: inAcme("webhook.enable", {}, "webhook 1"),
    form: { path: "/staff/webhooks/1/" },
  },
  "webhook deliveries": {
    of: 1,
    row: [
      { delivery: 4, event: "post.created", posts: [1], state: "delivered" },
      { delivery: 1, event: "ping", state: "delivered", last_status: 204, last_error: "" },
    ],
  },
  "webhook resend": {
    of: 1,
    isOnce: true,
    args: { delivery: 4 },
    row: { delivered: true, status: 204, delivery: 4 },
    audit: inAcme("webhook.resend", { delivery: 4 }, "webhook 1"),
  },
  "operator webhook create": {
    args: { url: RECEIVER },
    row: { id: 4, url: RECEIVER, is_active: true, last_success_at: null },
    audit: [{ organizationId: null, action: "webhook.create", target: "webhook 4" }],
  },
  "operator webhook list": {
    row: [
      { id: 2, is_active: true },
      { id: 3, is_active: false },
    ],
  },
  "operator webhook show": { of: 2, row: { id: 2, url: RECEIVER, last_success_at: NOW } },
  "operator webhook test": {
    of: 2,
    isOnce: true,
    row: { delivered: true, status: 204, error: "", delivery: 5 },
  },
  "operator webhook enable": {
    of: 3,
    row: { id: 3, is_active: true, disabled_reason: "" },
    audit: [{ organizationId: null, action: "webhook.enable", target: "webhook 3" }],
  },
  "operator webhook delete": {
    of: 2,
    isOnce: true,
    row: { id: 2, url: RECEIVER },
    audit: [{ organizationId: null, action: "webhook.delete", target: "webhook 2" }],
  },
  "operator webhook deliveries": {
    of: 2,
    row: [{ delivery: 2, event: "upgrade.requested", state: "delivered", last_status: 204 }],
  },
  "operator webhook resend": {
    of: 2,
    isOnce: true,
    args: { delivery: 2 },
    row: { delivered: true, status: 204, delivery: 2 },
    audit: [{ organizationId: null, action: "webhook.resend", target: "webhook 2" }],
  },
  "alert list": { args: { organization: 1 }, row: [alert] },
  "alert show": { of: 1, row: { ...alert, created_at: NOW } },
  "audit entry list": {
    args: { organization: 1, person: "ada@example.com" },
    row: [
      { id: 10, organization: 1, action: "alert.create", target: "alert 1" },
      { action: "webhook.create", target: "webhook 1", details: { key: 1 } },
    ],
  },
  "channel list": { row: [{ id: 1, title: "Channel 1", is_public: true }, { id: 2 }, { id: 3 }] },
  "channel show": { of: 1, row: { id: 1, title: "Channel 1", posts: 1, webhooks: 1 } },
  "channel hide": {
    of: 1,
    row: { id: 1, is_public: false },
    audit: [{ organizationId: null, action: "channel.hide", target: "channel 1" }],
    form: { path: "/staff/channels/1/" },
  },
  "channel unhide": {
    of: 1,
    after: "hide",
    row: { id: 1, is_public: true },
    audit: [{ organizationId: null, action: "channel.unhide", target: "channel 1" }],
    form: { path: "/staff/channels/1/" },
  },
  "channel merge": {
    of: 2,
    isOnce: true,
    args: { into: 1 },
    row: { id: 1, title: "Channel 1" },
    audit: [{ organizationId: null, action: "channel.merge", target: "channel 2" }],
  },
  "channel delete": {
    of: 3,
    isOnce: true,
    row: { deleted: 3 },
    audit: [{ organizationId: null, action: "channel.delete", target: "channel 3" }],
  },
  "channel restore": {
    ...{ after: "delete", afterOf: 3 },
    args: { channel: "3" },
    row: { restored: 3 },
    audit: [{ organizationId: null, action: "channel.restore", target: "channel 3" }],
  },
  "post delete": {
    args: { posts: "1" },
    row: { deleted: 1 },
    audit: [{ organizationId: null, action: "post.delete", target: "post 1" }],
  },
  "import list": { row: [run] },
  "import show": { of: 1, row: run },
  "source list": { row: [source, { id: 2, kind: "max", from: "news" }] },
  "source change": {
    of: 1,
    args: { time_limit: "90m" },
    row: { ...source, time_limit_seconds: 5400 },
    audit: [{ organizationId: null, action: "source.change", target: "source 1" }],
  },
  "source pushes": {
    of: 2,
    args: { state: "off" },
    row: { id: 2, name: "news", kind: "max" },
    audit: [{ organizationId: null, action: "source.pushes-off", target: "source 2" }],
    form: { path: "/staff/sources/2/" },
  },
  "source pause": {
    of: 1,
    row: { ...source, state: "paused", next_run_at: null },
    audit: [{ organizationId: null, action: "source.pause", target: "source 1" }],
    form: { path: "/staff/sources/", fields: { source: 1 } },
  },
  "source resume": {
    of: 1,
    after: "pause",
    row: source,
    audit: [{ organizationId: null, action: "source.resume", target: "source 1" }],
    form: { path: "/staff/sources/", fields: { source: 1 } },
  },
  "source remove": {
    of: 1,
    isOnce: true,
    row: { removed: 1, name: "prices" },
    audit: [{ organizationId: null, action: "source.remove", target: "source 1" }],
    form: { path: "/staff/sources/", fields: { source: 1 } },
  },
  "job list": {
    row: [
      { name: "close-day", schedule: "10 0 * * *", last_run_at: null, failure: null },
      { name: "open-days", next_run_at: "2026-11-20T12:20:00+03:00" },
      ...[
        "metrics",
        "give-back",
        "recount",
        "optimize-search",
        "trends",
        "retention",
        "silent-sources",
        "backup",
      ].map((name) => {
        return { name, finished_at: null };
      }),
    ],
  },
  "backup list": { row: [backup] },
  "backup show": { of: backup.name, row: backup },
  "person list": { row: [bob, { email: "boss@example.com" }, { email: "eve@example.com" }] },
  "person show": { of: bob.email, row: bob },
  "person link": {
    of: bob.email,
    isOnce: true,
    row: bob,
    audit: [{ action: "person.password-link", target: "person bob@example.com" }],
    form: { path: BOB, fields: { action: "make-link" } },
  },
  "person end-sessions": {
    of: bob.email,
    row: { ...bob, sessions: 0 },
    audit: [{ action: "person.end-sessions", target: "person bob@example.com" }],
    form: { path: BOB },
  },
  "staff add": {
    args: { email: "eve@example.com" },
    row: { email: "eve@example.com", is_staff: true },
    audit: [{ action: "staff.add", target: "person eve@example.com" }],
    form: { path: "/staff/people/eve@example.com/", fields: { action: "give-staff" } },
  },
  "staff remove": {
    of: bob.email,
    row: { ...bob, is_staff: false },
    audit: [{ action: "staff.remove", target: "person bob@example.com" }],
    form: { path: BOB, fields: { action: "take-staff" } },
  },
  "operator key create": {
    args: { name: "mine", can: "data,read", ...ENDS },
    row: { id: 3, name: "mine", can: ["read", "data"], created_at: NOW },
    audit: [{ organizationId: null, action: "operator-key.create", target: "operator-key 3" }],
    form: { path: "/staff/keys/" },
  },
  "operator key list": { row: [{ name: "billing" }, { name: "crawler" }] },
  "operator key revoke": {
    of: 2,
    row: { id: 2, name: "crawler", revoked_at: NOW },
    audit: [{ organizationId: null, action: "operator-key.revoke", target: "operator-key 2" }],
    form: { path: "/staff/keys/", fields: { key: 2 } },
  },
};
