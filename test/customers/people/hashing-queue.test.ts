import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  createHashingQueue,
  type HashingKind,
} from "../../../src/customers/people/hashing-queue.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, PASSWORD, visitorOf } from "../../support/visitor.ts";

/** Whatever can begin has begun. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Work that ends when a test says so, and the order in which it began. */
function createWork() {
  const queue = createHashingQueue();
  const begun: string[] = [];
  let end = () => {};
  return {
    begun,
    ask(kind: HashingKind, network: string): Promise<string> {
      return queue
        .run(kind, network, () => {
          begun.push(`${kind} ${network}`);
          return new Promise<string>((resolve) => {
            end = () => resolve("done");
          });
        })
        .catch((error) => `${error.code} ${error.retryAfterS}`);
    },
    settled,
    async endOne(): Promise<void> {
      end();
      await settled();
    },
  };
}

describe("work that hashes", () => {
  test("is done one at a time, and kinds take turns", async () => {
    const work = createWork();
    const asked = [
      ...["a", "b", "c", "d"].map((network) => work.ask("choose-password", network)),
      work.ask("sign-in", "e"),
      work.ask("sign-in", "f"),
      work.ask("known-sign-in", "g"),
    ];
    await work.settled();
    expect(work.begun).toEqual(["choose-password a"]);
    for (let at = 0; at < asked.length; at += 1) await work.endOne();
    expect(work.begun).toEqual([
      ...["choose-password a", "choose-password b", "sign-in e", "known-sign-in g"],
      ...["choose-password c", "sign-in f", "choose-password d"],
    ]);
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["done"]));
  });

  test("is refused where 20 of its kind wait, and nothing of other kinds is", async () => {
    const work = createWork();
    const asked = Array.from({ length: 22 }, (_, at) => work.ask("choose-password", `n${at}`));
    expect(await asked[21]).toBe("unavailable 5");
    const other = work.ask("sign-in", "n1");
    await work.settled();
    await work.endOne();
    await work.endOne();
    expect(work.begun).toEqual(["choose-password n0", "choose-password n1", "sign-in n1"]);
    await work.endOne();
    expect(await other).toBe("done");
  });

  test("is refused where 5 of its network wait, and nothing of other networks is", async () => {
    const work = createWork();
    const asked = Array.from({ length: 7 }, () => work.ask("sign-in", "greedy"));
    expect(await asked[6]).toBe("throttled 5");
    const other = work.ask("sign-in", "patient");
    await work.settled();
    for (let at = 0; at < 7; at += 1) await work.endOne();
    expect(await other).toBe("done");
    expect(work.begun).toHaveLength(7);
  });

  test("that fails gives its turn to the next", async () => {
    const queue = createHashingQueue();
    const failed = queue.run("set-up", "n", () => Promise.reject(new Error("failed")));
    const next = queue.run("set-up", "n", async () => "done");
    expect(await failed.catch(({ message }) => message)).toBe("failed");
    expect(await next).toBe("done");
  });
});

describe("a page that hashes", () => {
  let appliance: Appliance;
  beforeEach(async () => {
    appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
    await addPerson(appliance);
  });
  afterEach(() => appliance.close());

  test("keeps nobody from signing in, however many wait on it", async () => {
    const { people } = appliance.app.domains;
    const token = (await people.passwordLink("ada@example.com")) ?? "";
    await addPerson(appliance, { email: "bob@example.com" });
    const visitor = visitorOf(appliance);
    const path = `/account/choose-password/?token=${token}`;
    const csrf = await visitor.csrf(path);
    const waiting = Array.from({ length: 60 }, (_, at) =>
      visitor.post(
        path,
        { csrf, action: "choose", password: `another long password ${at}` },
        { "x-forwarded-for": `192.0.2.${at}` },
      ),
    );
    const bob = { action: "sign-in", email: "bob@example.com", password: PASSWORD };
    const from = { "x-forwarded-for": "203.0.113.7" };
    const signedIn = await visitorOf(appliance).post("/account/sign-in/", bob, from);
    expect(signedIn.status).toBe(303);
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    for (const status of statuses) expect(status).toBeOneOf([303, 409, 503]);
  });

  test("says when to come again, with what was typed, and takes no attempt for it", async () => {
    const visitor = visitorOf(appliance);
    const csrf = await visitor.csrf();
    const sent = { csrf, action: "sign-in", email: "x@example.com", password: PASSWORD };
    const ten = await Promise.all(
      Array.from({ length: 10 }, () => visitor.post("/account/sign-in/", sent)),
    );
    const refused = ten.filter(({ status }) => status === 429);
    for (const { headers, body } of refused) {
      expect(headers.get("retry-after")).toBe("5");
      expect(body).toContain("Too many requests from your network are waiting.");
      expect(body).toContain('value="x@example.com"');
    }
    for (const _ of refused) {
      expect((await visitor.post("/account/sign-in/", sent)).status).toBe(400);
    }
    const over = await visitor.post("/account/sign-in/", sent);
    expect(over.status).toBe(429);
    expect(over.body).toContain("Too many attempts.");
  });

  test("lets nobody without a good link wait, nor look as if it did", async () => {
    const visitor = visitorOf(appliance);
    const csrf = await visitor.csrf();
    const path = "/account/choose-password/?token=made-up";
    const sent = { csrf, action: "choose", password: "another long password" };
    const answers = await Promise.all(Array.from({ length: 40 }, () => visitor.post(path, sent)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
  });
});
