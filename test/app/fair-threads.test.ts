import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Appliance, type Customer, startAppliance } from "../support/appliance.ts";
import { channel, imported } from "../support/expectations.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { addPerson, signedInVisitor, type Visitor } from "../support/visitor.ts";

const ASKED = 200;

let machine: Machine;
let appliance: Appliance;
beforeAll(async () => {
  machine = createMachine();
  appliance = await startAppliance({
    KANALOG_DB: machine.database,
    KANALOG_SECRET: "a secret text of at least thirty-two characters",
    KANALOG_TRUST_PROXY: "true",
  });
  await imported(appliance, "channels", [channel(1), channel(2)]);
});
afterAll(async () => {
  await appliance.close();
  await machine.leave();
});

/**
 * Sends a request to the API without parsing or checking its answer, which would take longer than
 * answering.
 */
async function statusOf(path: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const request = new Request(`http://localhost/v1${path}`, { headers });
  return (await appliance.app.server.handle(request)).status;
}

for (const [what, path] of [
  ["searches", "/msgr/channels/?q=channel"],
  ["statistics of selections", "/msgr/channels/stats/?q=channel"],
] as const) {
  test(`a customer does not wait for ${ASKED} ${what} that another one requested before`, async () => {
    const customers = await Promise.all(Array.from({ length: 4 }, () => appliance.customer()));
    // Starts all threads beforehand.
    for (let times = 0; times < 2; times++) {
      await Promise.all(customers.map(({ key }) => statusOf("/msgr/channels/?q=channel", key)));
    }
    const [greedy, modest] = customers as [Customer, Customer, ...Customer[]];
    let before = 0;
    const requests = Array.from({ length: ASKED }, async () => {
      if ((await statusOf(path, greedy.key)) === 200) before += 1;
    });
    expect(await statusOf(path, modest.key)).toBe(200);
    // In the order of the requests all of them would be answered before; a busy machine may be a little
    // late.
    const answeredBefore = before;
    await Promise.all(requests);
    expect(answeredBefore).toBeLessThan(before / 2);
  });
}

test(`a member's page does not wait for ${ASKED} pages that another customer's member requested from another machine`, async () => {
  const visitors = await Promise.all(
    ["greedy@example.com", "modest@example.com"].map(async (email) => {
      await addPerson(appliance, { email });
      return signedInVisitor(appliance, email);
    }),
  );
  const [greedy, modest] = visitors as [Visitor, Visitor];
  const overview = (visitor: Visitor, count: number) =>
    Array.from({ length: count }, () =>
      visitor.get("/account/", {
        "x-forwarded-for": visitor === greedy ? "192.0.2.1" : "192.0.2.2",
      }),
    );
  // Starts all threads beforehand.
  await Promise.all([...overview(greedy, 4), ...overview(modest, 4)]);
  let before = 0;
  const requests = overview(greedy, ASKED).map(async (page) => {
    if ((await page).status === 200) before += 1;
  });
  const [page] = overview(modest, 1);
  expect((await page)?.status).toBe(200);
  const answeredBefore = before;
  await Promise.all(requests);
  expect(before).toBe(ASKED);
  expect(answeredBefore).toBeLessThan(before / 2);
});
