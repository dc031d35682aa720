import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, visitorOf } from "../../support/visitor.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await addPerson(appliance);
});
afterEach(() => appliance.close());

const newLink = async (): Promise<string> =>
  (await appliance.app.domains.people.passwordLink({
    email: "ada@example.com",
    isTrusted: true,
  })) ?? "";

/** Whether a link leads to the form for choosing a password. */
async function opens(token: string): Promise<boolean> {
  const path = `/account/choose-password/?token=${token}`;
  return (await visitorOf(appliance).get(path)).html.includes('name="password"');
}

describe("a new password link", () => {
  test("replaces the person's previous one", async () => {
    const first = await newLink();
    expect(await opens(first)).toBe(true);
    const second = await newLink();
    expect([await opens(first), await opens(second)]).toEqual([false, true]);
  });

  test("leaves the previous one in force if it cannot be created", async () => {
    const first = await newLink();
    const { db } = appliance.app.domains;
    db.exec(`CREATE TEMP TRIGGER refused BEFORE INSERT ON main.verifications
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    await expect(newLink()).rejects.toThrow();
    db.exec("DROP TRIGGER refused");
    expect(await opens(first)).toBe(true);
  });

  test("is the only one that works if several are asked for at once", async () => {
    const asked = Array.from({ length: 4 }, () => newLink());
    const opening = (await Promise.all(asked)).map(opens);
    expect((await Promise.all(opening)).filter(Boolean)).toHaveLength(1);
  });
});
