import { importFile } from "../../src/catalog/imports/import-file.ts";
import { computeMetrics } from "../../src/catalog/metrics/compute-metrics.ts";
import { MAX_API } from "../../src/catalog/sources/max/max-api.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { dayOf, formatDay, parseDay, startOfDay } from "../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { channel, imported } from "./expectations.ts";
import { createFakeMax } from "./fake-max.ts";
import { type FakeMail, fakePorts } from "./fake-ports.ts";
import { createFakeTelegram, TELEGRAM_TOKEN } from "./fake-telegram.ts";
import { answersOf } from "./max-appliance.ts";
import { challengeOf, leadsTo, VERIFIER } from "./oauth-client.ts";
import { addPerson, signedInVisitor, type Visitor } from "./visitor.ts";
import { callsWith, created, DAY_MS, deliverPost, MINUTE_MS, pass } from "./webhook-calls.ts";
import { webp } from "./webp.ts";
import { windows1251 } from "./windows-1251.ts";

/** An appliance in use, on which no page of the site is empty. */
export interface SiteWorld {
  appliance: Appliance;
  organizationId: number;
  /** Cookie of a staff member who owns both organizations. */
  owner: string;
  /** A member who has a password. */
  member: { email: string; id: number };
  /** Webhooks by state. */
  webhooks: { active: number; failed: number };
  /** Addresses to visit, by the path of the page in `sitePages`. */
  pages: Record<string, readonly string[]>;
}

const SAMPLE = new URL("../../data/sample/", import.meta.url).pathname;
const LONG = "СамыйДлинныйЗаголовокКоторыйКогдаЛибоПридумывалиДляКанала".repeat(2);
const DAYS = 20;
const PICTURE = "https://cdn.example.com/50.webp";

export async function startSiteWorld(): Promise<SiteWorld> {
  const ports = fakePorts("2026-11-01T12:00:00+03:00");
  // Without mail, pages show links to copy.
  ports.mail = null as unknown as FakeMail;
  const appliance = await startAppliance(
    { KANALOG_PORT: "0", KANALOG_OAUTH: "on", KANALOG_BASE_URL: "http://localhost" },
    ports,
  );
  const { accounts, db, keys, people } = appliance.app.domains;
  const { clock } = ports;

  await importFile(db, clock, "channels", `${SAMPLE}channels.ndjson`);
  await importFile(db, clock, "posts", `${SAMPLE}posts.ndjson`);
  const more = Array.from({ length: 60 }, (_, at) =>
    channel(100 + at, { subscribers: 90_000 - at }),
  );
  await imported(appliance, "channels", [
    channel(50, {
      ...{ title: LONG, handle: "the_longest_handle_there_may_be_1", description: LONG },
      image: PICTURE,
    }),
    ...more,
  ]);
  // Channels that mention one of the sample's, and one that it mentions.
  await imported(
    appliance,
    "posts",
    Array.from({ length: 40 }, (_, at) => ({
      ...{ id: 20_001 + at, channel: at === 0 ? 8 : 100 + (at % 9) },
      text: at === 0 ? "t.me/the_longest_handle_there_may_be_1" : `${LONG} @goproglib`,
      forwarded_from: at % 10 === 5 ? 8 : null,
      published_at: "2026-10-01T10:00:00Z",
    })),
  );
  const start = new Date(clock.now()).toISOString();
  const today = dayOf(clock.now()) + DAYS;
  const stats = Array.from({ length: 60 }, (_, ago) => ({
    ...{ channel: 1, day: formatDay(today - ago) },
    ...{ subscribers: 120_000 - 40 * ago - 9 * (ago % 7), views: 30_000 + 4_000 * (ago % 5) },
  }));
  clock.set(`${formatDay(today)}T12:00:00+03:00`);
  await imported(appliance, "stats", stats);
  await computeMetrics(db, clock);
  clock.set(start);

  const customer = await appliance.customer({ access: "read_write" });
  const { organizationId } = customer;
  const owner = "olga@example.com";
  await addPerson(appliance, { organizationId, email: owner, name: "Olga", isStaff: true });
  const other = await accounts.createOrganization(
    {
      name: "Общество с ограниченной ответственностью «Длинное название»",
      plan: "test",
    },
    COMMAND_LINE,
  );
  const inOther = { organizationId: other.id, email: owner, name: "Olga", role: "owner" } as const;
  await accounts.addMember(inOther, COMMAND_LINE);
  await accounts.givePlan(
    other.id,
    "growth",
    startOfDay((parseDay("2027-01-31") ?? 0) + 1),
    COMMAND_LINE,
  );
  const member = await addPerson(appliance, {
    ...{ organizationId, email: "nina.konstantinopolskaya@marketing.example.com" },
    ...{ name: "Нина Константинопольская", role: "member" as const },
  });
  const gone = await addPerson(appliance, {
    ...{ organizationId, email: "gone@example.com", name: "Gone", role: "administrator" as const },
  });
  await accounts.suspendMember(gone.memberId, COMMAND_LINE);
  const invited = { organizationId, email: "new@example.com", name: "", role: "member" } as const;
  await accounts.addMember(invited, COMMAND_LINE);

  const key = { memberId: member.memberId, access: "read_only", expiresAt: null } as const;
  await keys.createKey(
    { ...key, name: "Ночная выгрузка статистики по всем каналам региона" },
    COMMAND_LINE,
  );
  await keys.createKey(
    { ...key, name: "soon over", expiresAt: clock.now() + 40 * DAY_MS },
    COMMAND_LINE,
  );
  await keys.createKey({ ...key, name: "over", expiresAt: clock.now() + DAY_MS }, COMMAND_LINE);
  await keys.revokeKey(
    (await keys.createKey({ ...key, name: "lost with a laptop" }, COMMAND_LINE)).key.id,
    COMMAND_LINE,
  );

  const call = callsWith(appliance, customer.key);
  const active = await created(call, { channels: [1, 2, 3, 50] });
  const url = `https://receiver.customer-with-a-long-name.example.com/hooks/${"posts".repeat(8)}`;
  const failed = await created(call, { url, channels: [1] });
  const alert = { name: LONG.slice(0, 100), q: "новости | post", webhook: active.id };
  const { status } = await appliance.request("/v1/msgr/alerts/", {
    ...{ method: "POST", key: customer.key, body: JSON.stringify(alert) },
    headers: { "content-type": "application/json" },
  });
  if (status !== 201) throw new Error(`no alert was made: ${status}`);
  const own = { organizationId: customer.organizationId, id: 1 };
  await appliance.app.services.alerts.setMailed(own, member.memberId, true);
  const alertToken = db.prepare("SELECT token FROM alert_mails").pluck().get();
  await pass(appliance, MINUTE_MS, MINUTE_MS);
  await deliverPost(appliance, 10_001);
  ports.network.answer = ({ host }) =>
    host.startsWith("hooks") ? { status: 204 } : { status: 503 };
  for (let day = 0; day < DAYS; day++) {
    for (let requests = 0; requests <= day % 6; requests++) {
      await appliance.get("/v1/msgr/channels/1/", customer.key);
      await appliance.get("/v1/msgr/channels/?q=новости", customer.key);
    }
    await appliance.get("/v1/msgr/channels/77/", customer.key);
    if (day === DAYS - 1) await deliverPost(appliance, 10_002);
    clock.advance(DAY_MS);
    await pass(appliance, 2 * MINUTE_MS, MINUTE_MS);
  }
  await call("POST", `${active.id}/test/`);
  await appliance.app.scheduler.runNow("recount", COMMAND_LINE);
  ports.log.error = () => {};
  const staff = await signedInVisitor(appliance, owner);
  const csv = "id,title,subscribers\n1001,Один,10\n1002,Два,x\n1003,Три,30\n";
  const sent = {
    action: "import",
    kind: "channels",
    file: new File([csv], "каналы за ноябрь.csv"),
  };
  await staff.post("/staff/imports/", sent);
  const broken = { ...sent, file: new File(["no,such,columns\n1,2,3\n"], "broken.csv") };
  await staff.post("/staff/imports/", broken);
  // An upload to review before it is imported, with an invalid row.
  const looked = windows1251(`id;title;subscribers\n1001;Один;10\n1002;${LONG};20;x\n`);
  const held = { ...sent, look: "yes", file: new File([looked], "каналы.csv") };
  const { location: previewPath } = await staff.post("/staff/imports/", held);
  ports.network.fileAt = () => ({ status: 200, body: csv });
  await staff.post("/staff/sources/", {
    ...{ action: "add", kind: "channels", schedule: "15m", name: "<b>каналы</b>" },
    url: "https://files.example.com/каналы.csv",
  });
  await addTelegram(appliance, staff);
  addPicture(appliance);
  await addMax(appliance, staff);
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  await staff.post("/account/keys/", { action: "revoke", key: String(customer.keyId) });

  const consent = await letAssistantIn(appliance, staff);

  const token = await (async () => {
    await people.ensurePerson({ email: "new@example.com", name: "" });
    return people.passwordLink({ email: "new@example.com", isTrusted: true });
  })();
  const person = db.prepare("SELECT id FROM people WHERE email = ?").get(owner) as {
    id: string;
  };
  return {
    appliance,
    organizationId,
    owner,
    member: { email: member.email, id: member.memberId },
    webhooks: { active: active.id, failed: failed.id },
    pages: {
      "/account/sign-in/": ["/account/sign-in/"],
      // Switched off here, as by default.
      "/account/sign-up/": [],
      "/account/set-up/": [],
      "/account/forgotten-password/": ["/account/forgotten-password/"],
      "/account/choose-password/": [`/account/choose-password/?token=${token ?? "used"}`],
      // These redirect.
      "/account/language/": [],
      "/account/": ["/account/"],
      "/account/plan/": ["/account/plan/"],
      "/account/keys/": ["/account/keys/"],
      // For the documentation's script.
      "/account/keys/prefix/": [],
      "/account/members/": ["/account/members/"],
      "/account/connect/": ["/account/connect/"],
      "/account/connect/test/": ["/account/connect/test/"],
      "/account/authorize/": [consent, `${consent}&resource=https%3A%2F%2Fother.example%2F`],
      "/account/profile/": ["/account/profile/"],
      "/account/webhooks/": ["/account/webhooks/"],
      "/account/webhooks/:id/": [active.id, failed.id].map((id) => `/account/webhooks/${id}/`),
      "/account/webhooks/:id/deliveries/:delivery/": [
        `/account/webhooks/${active.id}/deliveries/1/`,
      ],
      "/account/alerts/": ["/account/alerts/"],
      "/account/alert-mails/": [
        "/account/alert-mails/?token=unknown",
        `/account/alert-mails/?token=${alertToken}`,
      ],
      "/account/alerts/:id/": ["/account/alerts/1/", "/account/alerts/1/?preview=yes"],
      "/account/channels/": ["/account/channels/", "/account/channels/?q=ab"],
      "/account/channels/:id/mentions/": [
        "/account/channels/8/mentions/",
        "/account/channels/8/mentions/?kind=forward",
      ],
      // Not a page: shown on others.
      "/account/channels/:id/picture/": [],
      "/account/channels/:id/": ["/account/channels/1/?days=90", "/account/channels/50/"],
      "/account/posts/": [
        "/account/posts/",
        "/account/posts/?q=новости+-реклама",
        "/account/posts/?q=zwiebelfisch&views_min=10",
        "/account/posts/?q=дом&from=2024-12-02&to=2024-12-01",
      ],
      "/account/posts/word/": [
        "/account/posts/word/",
        "/account/posts/word/?q=новости&from=2026-09-20&to=2026-11-20&group=week",
        "/account/posts/word/?q=zwiebelfisch",
        "/account/posts/word/?q=дом&from=2024-12-02&to=2024-12-01",
      ],
      "/account/trending/": ["/account/trending/", "/account/trending/?category=science"],
      "/account/compare/": [
        "/account/compare/",
        "/account/compare/?channels=1,2,50&measure=growth",
      ],
      "/staff/": ["/staff/"],
      "/staff/start/": ["/staff/start/"],
      "/staff/plans/": ["/staff/plans/"],
      "/staff/keys/": ["/staff/keys/"],
      "/staff/organizations/": ["/staff/organizations/"],
      "/staff/organizations/:id/": [`/staff/organizations/${organizationId}/`],
      "/staff/organizations/:id/seen/": [`/staff/organizations/${organizationId}/seen/`],
      "/staff/people/": ["/staff/people/"],
      "/staff/people/:id/": [`/staff/people/${person.id}/`],
      "/staff/webhooks/": ["/staff/webhooks/"],
      "/staff/webhooks/:id/": [`/staff/webhooks/${failed.id}/`],
      "/staff/channels/": ["/staff/channels/", "/staff/channels/?q=ab"],
      "/staff/channels/:id/": ["/staff/channels/1/", "/staff/channels/50/"],
      "/staff/posts/": ["/staff/posts/"],
      "/staff/jobs/": ["/staff/jobs/"],
      "/staff/database/": ["/staff/database/"],
      "/staff/errors/": ["/staff/errors/"],
      "/staff/audit/": ["/staff/audit/"],
      "/staff/imports/": ["/staff/imports/", previewPath ?? ""],
      "/staff/sources/": ["/staff/sources/"],
      "/staff/sources/telegram/": ["/staff/sources/telegram/"],
      "/staff/sources/max/": ["/staff/sources/max/"],
      "/staff/sources/:id/": ["/staff/sources/1/", "/staff/sources/2/", "/staff/sources/3/"],
      "/staff/imports/:id/": ["/staff/imports/1/", "/staff/imports/2/"],
    },
  };
}

/**
 * Grants an assistant access in the person's name. @returns the address at which the next one asks for
 * access
 */
async function letAssistantIn(appliance: Appliance, person: Visitor): Promise<string> {
  const redirect = "https://assistant.customer-with-a-long-name.example.com/back";
  const metadata = {
    client_name: `Ассистент ${LONG}`.slice(0, 100),
    redirect_uris: [redirect, "http://127.0.0.1/back"],
  };
  const { body } = await appliance.request("/oauth/register", {
    method: "POST",
    body: JSON.stringify(metadata),
  });
  const query = (redirectUri: string) =>
    `/account/authorize/?${new URLSearchParams({
      ...{ response_type: "code", client_id: body.client_id, redirect_uri: redirectUri },
      ...{ code_challenge: challengeOf(VERIFIER), code_challenge_method: "S256" },
    })}`;
  const page = await person.get(query(redirect));
  const organization = /<option value="(\d+)" selected/.exec(page.html)?.[1] ?? "";
  const to = leadsTo(await person.post(query(redirect), { action: "allow", organization }));
  const fields = {
    ...{ grant_type: "authorization_code", client_id: body.client_id },
    ...{ code: to?.searchParams.get("code") ?? "", redirect_uri: redirect },
    code_verifier: VERIFIER,
  };
  const sent = { method: "POST", body: new URLSearchParams(fields) };
  const { status } = await appliance.request("/oauth/token", sent);
  if (status !== 200) throw new Error(`no assistant was let in: ${status}`);
  return query("http://127.0.0.1:50123/back");
}

/** Adds a bot with a channel of odd posts. */
async function addTelegram(appliance: Appliance, staff: Visitor): Promise<void> {
  const { clock, network } = appliance.ports;
  const telegram = createFakeTelegram(clock.now);
  network.answerGet = telegram.answerGet;
  const page = "/staff/sources/telegram/";
  await staff.post(page, {
    action: "add",
    kind: "telegram",
    token: TELEGRAM_TOKEN,
    schedule: "1m",
  });
  const id = telegram.addChannel({ title: "<b>Утро</b>", username: "utro_bot_channel" });
  telegram.post(id, "<script>alert(1)</script>");
}

function addPicture({ ports: { network } }: Appliance): void {
  const others = network.answerGet;
  network.answerGet = (url, request) =>
    url === PICTURE ? { status: 200, body: webp(100, 100) } : others(url, request);
}

/** Adds a bot of MAX, with a channel of odd posts and one that it may not read. */
async function addMax(appliance: Appliance, staff: Visitor): Promise<void> {
  const { clock, network } = appliance.ports;
  const max = createFakeMax(clock.now);
  const [answers, others] = [answersOf(max), network.answerGet];
  network.answerGet = (url, request) =>
    url.startsWith(MAX_API) ? answers(url, request) : others(url, request);
  await staff.post("/staff/sources/max/", {
    action: "add",
    kind: "max",
    token: max.token,
    schedule: "15m",
  });
  const { id } = max.addChannel({ id: -70_000_000_000_001n, title: "<b>День</b>" });
  max.addChannel({ id: -70_000_000_000_002n, title: "Закрытый" }).isAdmin = false;
  max.post(id, "<script>alert(1)</script>");
}
