import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { choosePassword } from "../../../src/customers/people/passwords.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, PASSWORD, visitorOf } from "../../support/visitor.ts";

const NEW_PASSWORD = "another long password";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await addPerson(appliance);
});
afterEach(() => appliance.close());

/** Makes a write fail, as a full disk would. */
function refuse(change: "UPDATE" | "DELETE", table: "people" | "sessions"): () => void {
  const { db } = appliance.app.domains;
  db.exec(`CREATE TEMP TRIGGER refused BEFORE ${change} ON main.${table}
    BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  return () => db.exec("DROP TRIGGER refused");
}

const newLink = async (): Promise<string> =>
  (await appliance.app.domains.people.passwordLink({
    email: "ada@example.com",
    isTrusted: true,
  })) ?? "";

/** Chooses a password by a link. */
function chooserOf(token: string): (password: string) => Promise<boolean> {
  const { db, clock } = appliance.app.domains;
  const settings = { secret: "the secret of a test's own appliance" };
  const by = { settings, token, network: Buffer.alloc(32) };
  return async (password) => (await choosePassword(db, clock, { ...by, password })) !== null;
}

async function isAccepted(password: string): Promise<boolean> {
  return (await visitorOf(appliance).signIn("ada@example.com", password)).status === 303;
}

describe("a password that cannot be stored together with all that follows from it", () => {
  test("stays as it was, by the operator's command", async () => {
    const { people } = appliance.app.domains;
    expect(await isAccepted(PASSWORD)).toBe(true);
    const allow = refuse("DELETE", "sessions");
    await expect(
      people.setPassword({ email: "ada@example.com", password: NEW_PASSWORD, by: COMMAND_LINE }),
    ).rejects.toThrow();
    allow();
    expect([await isAccepted(PASSWORD), await isAccepted(NEW_PASSWORD)]).toEqual([true, false]);
  });

  test("stays as it was, by a link, which works once more", async () => {
    const choose = chooserOf(await newLink());
    const allow = refuse("UPDATE", "people");
    await expect(choose(NEW_PASSWORD)).rejects.toThrow();
    allow();
    expect([await isAccepted(PASSWORD), await isAccepted(NEW_PASSWORD)]).toEqual([true, false]);
    expect([await choose(NEW_PASSWORD), await choose(NEW_PASSWORD)]).toEqual([true, false]);
    expect([await isAccepted(PASSWORD), await isAccepted(NEW_PASSWORD)]).toEqual([false, true]);
  });
});

test("a link chooses one password if it is used twice at once", async () => {
  const passwords = [`${NEW_PASSWORD} 1`, `${NEW_PASSWORD} 2`];
  const chosen = await Promise.all(passwords.map(chooserOf(await newLink())));
  expect(chosen.filter(Boolean)).toHaveLength(1);
  const accepted: boolean[] = [];
  for (const password of passwords) accepted.push(await isAccepted(password));
  expect(accepted).toEqual(chosen);
});
