import { lanes } from "../../../../src/app/operations.ts";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { createKeyToken } from "../../../../src/customers/keys/key-token.ts";
import { accountsVersionNow } from "../../../../src/customers/keys/keys.store.ts";
import { ABILITIES } from "../../../../src/customers/operator-keys/operator-keys.table.ts";
import { markStaff, removeUnverifiedPassword } from "../../../../src/customers/people/people.ts";
import { endSessions, endSessionsOfSuspended } from "../../../../src/customers/people/sessions.ts";
import { setUpPerson } from "../../../../src/customers/people/site-people.ts";
import { createStripe } from "../../../../src/customers/selling/stripe.ts";
import { signUpOperations } from "../../../../src/customers/sign-up/sign-up.ts";
import { inlineThreads } from "../../../../src/db/threads/threads.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { queueQuotaMail } from "../../../../src/push/mail/notices.ts";
import { noteStep } from "../../../../src/upkeep/checks/staff-summary.ts";
import { readTargetUrl } from "../../../../src/values/network/target-guard.ts";
import type { Answer, Appliance } from "../../../support/appliance.ts";
import { STRIPE_KEY, STRIPE_SECRET, startFakeStripe } from "../../../support/fake-stripe.ts";
import { startOAuthTalk } from "../../../support/oauth-client.ts";
import { scrape } from "../../../support/scrape.ts";
import { addPerson, signedInVisitor, visitorOf } from "../../../support/visitor.ts";
import { BUSY_CHANNEL, type World } from "../world.ts";

/** Uses pages of the site and of staff's console, changes people and keys, and counts usage. */
export async function exerciseCustomers({ appliance, customer, webhooks }: World): Promise<void> {
  const { app } = appliance;
  const { accounts, db, clock, keys, people } = app.domains;
  const { organizationId } = customer;

  const owner = "olga@example.com";
  await addPerson(appliance, {
    organizationId,
    email: owner,
    name: "Olga",
    isStaff: true,
  });
  const staff = await signedInVisitor(appliance, owner);
  for (const page of sitePages(organizationId, webhooks[0] ?? 0)) {
    const { status } = await staff.get(page);
    if (status !== 200) throw new Error(`${page}: ${status}`);
  }
  for (const form of [
    { action: "save-list", name: "Chats" },
    { action: "rename-list", list: 1, name: "Group chats" },
    { action: "delete-list", list: 1 },
  ]) {
    const { status } = await staff.post("/account/channels/?kind=chat", form);
    if (status !== 303) throw new Error(`${form.action}: ${status}`);
  }
  const { hasPassword } = await people.ensurePerson({ email: "new@example.com", name: "New" });
  if (hasPassword) throw new Error("a new person has a password");
  const token = await people.passwordLink({ email: "new@example.com", isTrusted: true });
  const visitor = visitorOf(appliance);
  const choose = `/account/choose-password/?token=${token}`;
  await visitor.post(choose, { action: "choose", token: token ?? "", password: "green horse 12" });
  await exerciseOperator(appliance);
  await accounts.addMember(
    { organizationId, email: "new@example.com", name: "", role: "member" },
    COMMAND_LINE,
  );
  await visitor.signIn("new@example.com", "green horse 12");
  await visitor.post("/account/profile/", {
    action: "change-password",
    ...{ password: "green horse 12", newPassword: "another horse 12" },
  });
  await visitor.post("/account/sign-in/", { action: "sign-out" });
  await people.setPassword({ email: owner, password: "correct horse battery 2", by: COMMAND_LINE });
  await markStaff(db, clock, { email: "new@example.com", isStaff: true, by: COMMAND_LINE });
  await markStaff(db, clock, { email: "new@example.com", isStaff: false, by: COMMAND_LINE });
  await endSessions(db, clock, { email: owner, by: { person: owner, keyId: null } });
  await inTransaction(db, clock, "sessions", (tx) => endSessionsOfSuspended(tx, "new@example.com"));
  // Person 10 has never confirmed the mailbox.
  const { email } = db.prepare("SELECT email FROM people WHERE id = 'person 10'").get() as {
    email: string;
  };
  await removeUnverifiedPassword(db, clock, email);
  const input = { settings: { secret: "x" }, email: "late@example.com", name: "Late" };
  await setUpPerson(db, clock, { ...input, password: "green horse 12" }).catch(() => {});

  await exerciseSignUp(appliance);

  const made = await keys.createKey(
    {
      ...{ memberId: customer.memberId, name: "second", access: "read_only", expiresAt: null },
    },
    COMMAND_LINE,
  );
  await appliance.get("/v1/me/", made.token);
  await keys.revokeKey(made.key.id, COMMAND_LINE);
  const [member] = (await accounts.members(organizationId)).slice(-1);
  if (member !== undefined) {
    await accounts.suspendMember(member.id, COMMAND_LINE);
    await accounts.reinstateMember(member.id, COMMAND_LINE);
  }
  await exerciseOAuth(appliance);
  const newCustomer = {
    organization: "Whole",
    plan: "test",
    email: "w@example.com",
    name: "",
  } as const;
  const { made: whole } = await keys.createCustomer(
    { ...newCustomer, key: { name: "First key", access: "read_only" } },
    COMMAND_LINE,
  );
  await keys.createFirst(COMMAND_LINE);
  await keys.named("second");
  await keys.keys(customer.organizationId);
  await keys.keyOf({ organizationId: customer.organizationId, memberId: null, id: customer.keyId });
  const to = { email: "other@example.com", name: "Other", organization: "Other" };
  await accounts.handOver(whole.owner.id, to, COMMAND_LINE);
  await app.flushRequests();
  const quota = { organizationId, periodStartedAt: clock.now(), percent: 80, quota: 10 };
  await queueQuotaMail(db, clock, quota);
  await noteStep(db, clock, "first_call");
  await scrape(appliance);
  accountsVersionNow(db);
  await accounts.firstMemberId();
  await accounts.organizations();
  await accounts.organizationsNamed("Organization 7");
  await appliance.get("/v1/me/usage/?from=2026-09-01&to=2026-11-20", customer.key);
  await appliance.get("/v1/me/", customer.key);
}

/** An account that a visitor creates, and one of an invited person. */
async function exerciseSignUp({ app, ports }: Appliance): Promise<void> {
  const { db, people } = app.domains;
  await people.ensurePerson({ email: "invited@example.com", name: "Invited" });
  for (const email of ["visitor@example.com", "invited@example.com"]) {
    const token = `the token of ${email}`;
    await signUpOperations.beginSignUp(db, ports.clock, { email, token });
    await signUpOperations.opensSignUp(db, ports.clock, token);
    await signUpOperations.endSignUp(db, ports.clock, {
      ...{ token, name: "Visitor", password: "green horse 12", organization: "Visit" },
      ...{ settings: { secret: "x" }, keyName: "First key" },
      keyToken: createKeyToken("read_only", ports.random),
      ...{ personId: `person of ${email}`, credentialId: `credential of ${email}` },
    });
  }
}

/** A grant from its code to its end. */
async function exerciseOAuth(appliance: Appliance): Promise<void> {
  const talk = await startOAuthTalk(appliance);
  const { clientId, code, tokens } = await talk.connect();
  const { body } = await talk.refresh(clientId, tokens.refresh_token);
  const { status } = await talk.call(body.access_token);
  if (status !== 200) throw new Error(`a grant does not hold: ${status}`);
  await talk.person.get("/account/connect/");
  await talk.exchange(clientId, code);
  const fields = { token: body.refresh_token, client_id: clientId };
  const sent = { method: "POST", body: new URLSearchParams(fields) };
  await appliance.request("/oauth/revoke", sent);
}

function sitePages(organizationId: number, webhook: number): string[] {
  return [
    "/account/",
    "/account/keys/",
    "/account/members/",
    "/account/connect/",
    "/account/profile/",
    "/account/webhooks/",
    `/account/webhooks/${webhook}/`,
    "/account/channels/",
    "/account/channels/1/?days=90",
    "/staff/",
    "/staff/start/",
    "/staff/plans/",
    "/staff/organizations/",
    `/staff/organizations/${organizationId}/`,
    `/staff/organizations/${organizationId}/seen/`,
    "/staff/channels/",
    `/staff/channels/?q=${encodeURIComponent("канал 12")}`,
    "/staff/channels/1/",
    `/staff/channels/${BUSY_CHANNEL}/?q=nothing`,
    "/staff/posts/",
    "/staff/posts/?q=5",
    "/staff/people/",
    "/staff/people/?q=nobody",
    `/staff/people/${encodeURIComponent("person 100")}/`,
    "/staff/webhooks/",
    "/staff/webhooks/?disabled=yes",
    `/staff/webhooks/${webhook}/`,
    "/staff/jobs/",
    "/staff/database/",
    "/staff/errors/",
    "/staff/audit/",
    `/staff/audit/?organization=${organizationId}`,
    "/staff/audit/?person=person7@example.com",
    "/staff/imports/",
    "/staff/imports/1/",
    "/readyz",
  ];
}

/** Requests of the operator's API: carried out, repeated and refused. */
async function exerciseOperator(appliance: World["appliance"]): Promise<void> {
  const { operatorKeys } = appliance.app.domains;
  const made = { name: "billing", can: [...ABILITIES], expiresAt: null };
  const { token } = await operatorKeys.create(made, COMMAND_LINE);
  const send = (path: string, body: object): Promise<Answer> =>
    appliance.request(`/operator/v1/${path}`, {
      ...{ method: "POST", key: token, body: JSON.stringify(body) },
      headers: { "content-type": "application/json", "idempotency-key": "order 17" },
    });
  const other = { name: "other" };
  for (const [body, status] of [
    [{}, 400],
    [other, 201],
    [other, 201],
  ] as const) {
    const answer = await send("operator-keys/", body);
    if (answer.status !== status) throw new Error(`an operator key: ${answer.status}`);
  }
  for (const path of [
    ...["organizations/?q=ization", "organizations/1/usage/", "webhooks/"],
    ...["webhooks/?organization=1", "alerts/?organization=1", "audit/?organization=1"],
  ]) {
    const listed = await appliance.request(`/operator/v1/${path}`, { key: token });
    if (listed.status !== 200) throw new Error(`${path}: ${listed.status}`);
  }
  await exerciseEvents(appliance);
  await exerciseStripe(appliance);
  for (const { id } of await operatorKeys.list()) await operatorKeys.revoke(id, COMMAND_LINE);
}

/** A plan bought through Stripe, paid, refunded and asked for again. */
async function exerciseStripe({ app, ports }: World["appliance"]): Promise<void> {
  const { accounts, db } = app.domains;
  const fake = startFakeStripe(ports.clock.now);
  fake.addPrice("price_1", 4_900);
  const offer = { price: 4_900, currency: "EUR", buy: "stripe", stripePrice: "price_1" } as const;
  await accounts.addPlan({ code: "spare", like: "growth", limits: {} }, COMMAND_LINE);
  await accounts.removePlan("spare", COMMAND_LINE);
  const plan = await accounts.changeOffer("growth", offer, COMMAND_LINE);
  const organization = await accounts.createOrganization(
    { name: "Buyer", plan: "test" },
    COMMAND_LINE,
  );
  const stripe = createStripe(
    db,
    inlineThreads(lanes.write, db, ports.clock).calls,
    { stripeKey: STRIPE_KEY, stripeWebhookSecret: STRIPE_SECRET, stripeApi: fake.address },
    ports,
  );
  const page = "http://localhost/account/plan/";
  const url = await stripe.checkout({ organization, plan, email: "b@x.org", language: "en", page });
  const { id } = fake.pay(url.split("/").at(-1) ?? "");
  fake.refund(id, 100);
  for (const { body } of fake.take()) {
    await stripe.receive(new TextEncoder().encode(body), fake.signed(body));
  }
  stripe.refunds(organization.id);
  stripe.subscription(organization.id);
  await stripe.look();
  await fake.close();
}

/** Events of the appliance, among them a request for another plan, with an address to hear them. */
async function exerciseEvents({ app, ports }: World["appliance"]): Promise<void> {
  const { accounts, operatorWebhooks } = app.domains;
  const url = "https://billing.example.com/events";
  const target = readTargetUrl(url);
  if ("fault" in target) throw new Error("not an address");
  const { webhook } = await operatorWebhooks.create({ url, target: target.value }, COMMAND_LINE);
  const organization = await accounts.createOrganization(
    { name: "New", plan: "test" },
    COMMAND_LINE,
  );
  const asked = { organizationId: organization.id, plan: "growth", note: "" } as const;
  await accounts.requestPlan(asked, COMMAND_LINE);
  await accounts.planRequests({ after: 0, limit: 10 });
  await accounts.closePlanRequest(organization.id, COMMAND_LINE);
  ports.clock.advance(60_000);
  await app.push.runDue();
  await operatorWebhooks.remove(webhook.id, COMMAND_LINE);
}
