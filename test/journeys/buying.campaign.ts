import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openDomains } from "../../src/app/domains.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { setPassword } from "../../src/customers/people/passwords.ts";
import { ensurePerson } from "../../src/customers/people/people.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import { DAY_MS } from "../../src/values/moscow-time.ts";
import {
  askOnAndOn,
  type Buyer,
  type Buying,
  buyOnAndOn,
  STEPS,
  sendEventsOnAndOn,
} from "../support/buying-load.ts";
import { STRIPE_KEY, STRIPE_SECRET, startFakeStripe } from "../support/fake-stripe.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { PASSWORD } from "../support/visitor.ts";
import { elapsed, seededRandom } from "../support/webhook-journey.ts";

/**
 * Processes are killed at each step of buying a plan, while customers buy and a stand-in for Stripe sends its
 * events late, twice and in any order. `bun run campaign buying` does so more often.
 */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? STEPS.length);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
const BUYERS = 3;
const ASKERS = 2;
const STEPS_MAX = 6;
const LIFE_MAX_MS = 10_000;
const KILLED_AFTER_MAX_MS = 20;
/** How long a plan outlasts what was paid. */
const GRACE_MS = 3 * DAY_MS;
const TIME_MAX_MS = 240_000 + KILLS * 20_000;
const SECRET = "the secret of both nodes of this campaign";

let machine: Machine;
let postgres: PostgresServer | null = null;
let buying: Buying | null = null;
afterEach(async () => {
  if (buying !== null) Object.assign(buying, { goesOn: false, isOver: true, serving: [] });
  await machine.leave();
  await buying?.stripe.close();
  await postgres?.stop();
  [postgres, buying] = [null, null];
}, 60_000);

test(
  "killed at each step of buying, nothing is granted twice, and nothing that was paid is lost",
  () => killBuyers({}, [["serve"]]),
  TIME_MAX_MS,
);

test(
  "killed at each step of buying, neither with two workers",
  () => killBuyers({}, [["serve", "--workers", "2"]]),
  TIME_MAX_MS,
);

test.skipIf(!hasPostgres)(
  "killed at each step of buying, neither with two nodes, one of which is killed",
  async () => {
    postgres = await startPostgres({ isFlushed: true });
    await killBuyers({ KANALOG_CLUSTER: postgres.url }, [["serve"], ["serve"]]);
  },
  TIME_MAX_MS,
);

/** @param processes words of each process; more than one are nodes of a cluster */
async function killBuyers(shared: Record<string, string>, processes: string[][]): Promise<void> {
  console.info(`KANALOG_TEST_SEED=${SEED}, KANALOG_TEST_KILLS=${KILLS}`);
  machine = createMachine();
  const random = seededRandom(SEED);
  const buyers = await customers();
  // No two subscriptions begin within the same second, by which their grants and mails are told apart.
  const bought = () => buyers.reduce((sum, { subscriptions }) => sum + subscriptions.length, 0);
  const stripe = startFakeStripe(() => Date.now() + 1_000 * bought());
  stripe.addPrice("price_growth1", 4_900);
  const settings = {
    ...{ KANALOG_STRIPE_KEY: STRIPE_KEY, KANALOG_STRIPE_WEBHOOK_SECRET: STRIPE_SECRET },
    // Without a mail server mails stay queued, and are counted in the end.
    KANALOG_STRIPE_API: stripe.address,
    KANALOG_SECRET: SECRET,
  };
  const environments = processes.map((_, at) => ({
    ...settings,
    ...shared,
    ...(processes.length > 1 && { KANALOG_NODE: `n${at}` }),
    KANALOG_DB: at === 0 ? machine.database : machine.path(`${at}.db`),
  }));
  const key = await operatorKey();
  if (processes.length > 1) {
    for (const [at, environment] of environments.entries()) {
      const words = at === 0 ? ["init", "--from", machine.database] : ["join"];
      const { exitCode, notes } = await machine.runProgram(["cluster", ...words], { environment });
      expect(exitCode, notes).toBe(0);
    }
  }
  const serve = (at: number): Promise<Serving> =>
    machine.serve(processes[at] ?? [], { environment: environments[at] ?? {} });
  const campaign: Buying = {
    ...{ stripe, serving: [], key, random, goesOn: true, isOver: false, onStep() {}, faults: [] },
    events: new Set(),
  };
  buying = campaign;
  stripe.state.onAsked = (asked) => campaign.onStep(asked);
  const running = await Promise.all(processes.map((_, at) => serve(at)));
  campaign.serving = running;
  await offerPlans(campaign);

  const loads = Promise.all([
    ...buyers.slice(0, BUYERS).map((buyer) => buyOnAndOn(campaign, buyer)),
    ...buyers.slice(BUYERS).map((buyer) => askOnAndOn(campaign, buyer)),
  ]);
  const sending = sendEventsOnAndOn(campaign);
  const failed = Promise.all([loads, sending]).then(() => new Promise<never>(() => {}));
  const reached = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill++) {
    const step = STEPS[kill % STEPS.length] ?? "";
    // The first step happens once for each customer; of the others some go well before.
    let left = kill === 0 ? 1 : Math.ceil(random() * STEPS_MAX);
    const begun = new Promise<boolean>((resolve) => {
      campaign.onStep = (begins) => {
        if (begins.startsWith(step) && --left <= 0) resolve(true);
      };
    });
    if (await Promise.race([begun, elapsed(LIFE_MAX_MS).then(() => false), failed])) {
      reached.set(step, (reached.get(step) ?? 0) + 1);
    }
    await elapsed(random() * KILLED_AFTER_MAX_MS);
    const victim = kill % processes.length;
    campaign.serving = running.filter((_, at) => at !== victim);
    await killed(running[victim] as Serving);
    expect(campaign.faults).toEqual([]);
    running[victim] = await serve(victim);
    campaign.serving = [...running];
  }
  campaign.goesOn = false;
  await loads;
  campaign.isOver = true;
  await sending;
  expect(campaign.faults).toEqual([]);
  console.info({
    ...{ kills: KILLS, at: Object.fromEntries(reached), subscriptions: bought() },
    ...{ events: campaign.events.size, grants: buyers.map(({ granted }) => granted?.ends ?? "") },
  });
  expect(bought()).toBeGreaterThan(0);
  const known = () => machine.query<{ id: string }>("SELECT id FROM stripe_events");
  // A node's copy gets what another one wrote a moment later.
  await until(() => known().length >= campaign.events.size, "all events");
  expect(new Set(known().map(({ id }) => id))).toEqual(campaign.events);
  for (const buyer of buyers) expectExact(campaign, buyer);
  for (const one of running) expect(await one.stop()).toBe(0);
}

/** Kills a process and its workers, as a power cut would. */
async function killed({ pid }: Serving): Promise<void> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  for (const one of [pid, ...children.split(" ").filter(Boolean).map(Number)]) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // It has already ended with its parent.
    }
  }
}

/** What the organization has is what was paid and granted, each once, and it was told of each once. */
function expectExact({ stripe }: Buying, buyer: Buyer): void {
  const { organization: id, email, subscriptions, asked, granted } = buyer;
  const [has] = machine.query<{ plan: string; ends: number }>(
    `SELECT plan, plan_ends_at AS ends FROM organizations WHERE id = ${id}`,
  );
  const audit = machine.query<{ action: string; details: string; person: string }>(
    `SELECT action, details, person FROM audit_log WHERE organization_id = ${id}`,
  );
  const texts = (of: (row: (typeof audit)[number]) => boolean) =>
    audit.filter(of).map(({ details }) => details);
  const bought = texts(({ person }) => person === "Stripe");
  expect(new Set(bought).size, `each grant once: ${bought}`).toBe(bought.length);
  const mails = machine.query<{ subject: string; text: string }>(
    `SELECT subject, text FROM mails WHERE recipients LIKE '%${email}%'`,
  );
  const told = mails.map(({ subject, text }) => subject + text);
  expect(new Set(told).size, `each mail once: ${told}`).toBe(told.length);
  if (subscriptions.length > 0) {
    const stored = machine.query<{ id: string; status: string }>(
      `SELECT id, status FROM stripe_subscriptions WHERE organization_id = ${id} ORDER BY id`,
    );
    const sold = subscriptions.map((one) => stripe.subscription(one));
    expect(stored).toEqual(
      sold
        .map(({ id, status }) => ({ id, status }))
        .sort((one, other) => (one.id < other.id ? -1 : 1)),
    );
    const lasting = sold.map((one) => {
      const lasts = one.status === "canceled" || one.cancel_at_period_end ? 0 : GRACE_MS;
      return one.end * 1000 + lasts;
    });
    expect(has).toEqual({
      plan: "growth",
      ends: Math.max(...lasting),
    });
    const begun = mails.filter(({ subject }) => subject.includes("Growth is yours"));
    expect(begun.length, "told of none twice").toBeLessThanOrEqual(subscriptions.length);
  } else if (granted !== null) {
    const ends = Date.parse(`${granted.ends}T24:00:00+03:00`);
    expect(has).toEqual({ plan: granted.plan, ends });
    const requests = texts(({ action }) => action === "organization.ask-plan").length;
    // The last one may have been stored by a process that was killed before it answered.
    expect(requests).toBeGreaterThanOrEqual(asked.answered);
    expect(requests).toBeLessThanOrEqual(asked.sent);
  }
}

/** Organizations on Test, each with an owner who has a password. */
async function customers(): Promise<Buyer[]> {
  const config = readConfig({ KANALOG_DB: machine.database, KANALOG_SECRET: SECRET });
  const { db, clock, accounts } = await openDomains(config, systemPorts(config));
  try {
    const made: Buyer[] = [];
    for (let at = 0; at < BUYERS + ASKERS; at++) {
      const name = `Acme ${at}`;
      const { id } = await accounts.createOrganization({ name, plan: "test" }, COMMAND_LINE);
      const email = `owner-${at}@example.com`;
      const member = { organizationId: id, email, name: "", role: "owner" } as const;
      await accounts.addMember(member, COMMAND_LINE);
      const settings = { secret: SECRET };
      await ensurePerson(db, clock, { settings, email, name: "Owner" });
      await setPassword(db, clock, { settings, email, password: PASSWORD, by: COMMAND_LINE });
      const asked = { sent: 0, answered: 0 };
      made.push({ organization: id, email, subscriptions: [], asked, granted: null });
    }
    return made;
  } finally {
    db.close();
  }
}

async function operatorKey(): Promise<string> {
  const words = ["staff", "key", "create", "--name", "billing", "--can", "customers"];
  return (await machine.json<{ key: string }>(words)).key;
}

/** Growth is sold through Stripe, and Profi on a payment page. */
async function offerPlans({ key, serving: [first] }: Buying): Promise<void> {
  const offers = {
    growth: { price: 4_900, currency: "EUR", buy: "stripe", stripe_price: "price_growth1" },
    profi: { price: 990_000, currency: "RUB", buy: "link", link: "https://pay.example.com/p" },
  };
  for (const [plan, offer] of Object.entries(offers)) {
    const response = await fetch(`${first?.address}/operator/v1/plan-offers/${plan}/`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(offer),
    });
    expect(response.status, await response.text()).toBe(200);
  }
}
