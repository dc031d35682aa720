import { afterEach, beforeEach, expect, test } from "bun:test";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { PASSWORD, remoteVisitor } from "../support/visitor.ts";

const ADA = "ada@example.com";
const HOME = "203.0.113.7";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

async function attempt({ address }: Serving, from: string, password = PASSWORD): Promise<number> {
  const sent = { action: "sign-in", email: ADA, password };
  const { status } = await remoteVisitor(address).post("/account/sign-in/", sent, {
    "x-forwarded-for": `${from}:5123`,
  });
  return status;
}

/** Guesses passwords from different networks until a process refuses all of them for the account. */
async function guess(serving: Serving): Promise<void> {
  for (let at = 1; at < 100; at += 1) {
    if ((await attempt(serving, `192.0.2.${at}`, "wrong wrong wrong")) === 429) return;
  }
  throw new Error("a hundred guesses were taken");
}

test("the owner can sign in from a known network through any process, while others guess", async () => {
  const behindProxy = { environment: { KANALOG_TRUST_PROXY: "true" } };
  const serve = () => machine.serve(["serve"], behindProxy);
  const [first, second] = [await serve(), await serve()];
  await machine.customer();
  await machine.run(["member", "password", "1", "--stdin"], { stdin: `${PASSWORD}\n` });
  // Checking a password costs what its stored hash says; dozens are guessed here.
  const quickHash = await Bun.password.hash(PASSWORD, {
    ...{ algorithm: "argon2id", memoryCost: 8, timeCost: 1 },
  });
  const db = machine.open();
  db.prepare("UPDATE credentials SET password = ?").run(quickHash);
  db.close();
  const email = machine.query<{ email: string }>("SELECT email FROM people")[0]?.email;
  expect(email).toBe(ADA);

  expect(await attempt(first, HOME)).toBe(303);
  for (const serving of [first, second]) {
    await guess(serving);
    expect(await attempt(serving, "198.51.100.1")).toBe(429);
    expect(await attempt(serving, HOME)).toBe(303);
  }
  await first.stop();
  const third = await serve();
  await guess(third);
  expect(await attempt(third, "198.51.100.1")).toBe(429);
  expect(await attempt(third, HOME)).toBe(303);
  expect(machine.query("SELECT 1 FROM known_networks")).toHaveLength(1);
}, 300_000);
