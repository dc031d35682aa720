import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  createHashingQueue,
  type HashingKind,
} from "../../../src/customers/people/hashing-queue.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, PASSWORD, visitorOf } from "../../support/visitor.ts";

/** Settles once everything that can begin has begun. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A queue whose work ends when the test says so, and the order in which it began. */
function createWork() {
  const queue = createHashingQueue();
  const begun: string[] = [];
  let end = () => {};
  return {
    begun,
    add(kind: HashingKind, network: string): Promise<string> {
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

describe("hashing work", () => {
  test("runs one at a time, and kinds take turns", async () => {
    const work = createWork();
    const results = [
      ...["a", "b", "c", "d"].map((network) => work.add("choose-password", network)),
      work.add("sign-in", "e"),
      work.add("sign-in", "f"),
      work.add("known-sign-in", "g"),
    ];
    await work.settled();
    expect(work.begun).toEqual(["choose-password a"]);
    for (let at = 0; at < results.length; at += 1) await work.endOne();
    expect(work.begun).toEqual([
      ...["choose-password a", "choose-password b", "sign-in e", "known-sign-in g"],
      ...["choose-password c", "sign-in f", "choose-password d"],
    ]);
    expect(new Set(await Promise.all(results))).toEqual(new Set(["done"]));
  });

  test("is refused if 250 networks have one of its kind waiting, but not for other kinds", async () => {
    const work = createWork();
    const results = Array.from({ length: 252 }, (_, at) => work.add("choose-password", `n${at}`));
    expect(await results[251]).toBe("unavailable 5");
    const other = work.add("sign-in", "n1");
    await work.settled();
    await work.endOne();
    await work.endOne();
    expect(work.begun).toEqual(["choose-password n0", "choose-password n1", "sign-in n1"]);
    await work.endOne();
    expect(await other).toBe("done");
  });

  test("is refused if 5 of its network are waiting, but not for other networks", async () => {
    const work = createWork();
    const results = Array.from({ length: 7 }, () => work.add("sign-in", "greedy"));
    expect(await results[6]).toBe("throttled 5");
    const other = work.add("sign-in", "patient");
    await work.settled();
    for (let at = 0; at < 7; at += 1) await work.endOne();
    expect(await other).toBe("done");
    expect(work.begun).toHaveLength(7);
  });

  test("of a network with many waiting makes room for another network", async () => {
    const work = createWork();
    const many = Array.from({ length: 251 }, (_, at) => work.add("sign-in", `n${at % 60}`));
    const other = work.add("sign-in", "patient");
    await work.settled();
    // The networks n1 to n10 have five waiting, the others four.
    const refused = await Promise.race(many.map((one, at) => one.then((result) => [at, result])));
    expect(refused).toEqual([241, "throttled 5"]);
    for (let at = 0; at < 251; at += 1) await work.endOne();
    expect(await other).toBe("done");
  });

  test("that fails lets the next one run", async () => {
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

  test("does not keep others from signing in, however many requests wait for it", async () => {
    const { people } = appliance.app.domains;
    const token = (await people.passwordLink({ email: "ada@example.com", isTrusted: true })) ?? "";
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

  test("says when to retry, keeps what was typed, and does not count as an attempt", async () => {
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

  test("does not queue requests without a valid link", async () => {
    const visitor = visitorOf(appliance);
    const csrf = await visitor.csrf();
    const path = "/account/choose-password/?token=made-up";
    const sent = { csrf, action: "choose", password: "another long password" };
    const answers = await Promise.all(Array.from({ length: 40 }, () => visitor.post(path, sent)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
  });
});
