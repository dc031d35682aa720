import { expect } from "bun:test";
import type { Fields } from "../../src/catalog/imports/reading/recognized.ts";
import type { Environment } from "../../src/config.ts";
import type { PostResult } from "../../src/ports/network.ts";
import type { DeliveryView, WebhookView } from "../../src/push/webhooks/manage/webhook-views.ts";
import { type Answer, type Appliance, type Customer, startAppliance } from "./appliance.ts";
import { channel, imported } from "./expectations.ts";
import type { FakeNetwork, FakePorts, FakePost } from "./fake-ports.ts";

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const RECEIVER = "https://receiver.example/hook?from=kanalog";

/**
 * A running process does its push work at least this often; a test with longer steps simulates a downtime.
 * Below the 90 seconds after which the process counts as having been down, and not much below: a day takes
 * thousands of steps.
 */
const LOOK_EVERY_MS = 60 * SECOND_MS;

/** A customer on Profi whose webhook watches channels 1 and 2 of 3, just after a batch. */
export interface Pushing {
  appliance: Appliance;
  customer: Customer;
  /** The webhook's number and secret. */
  id: number;
  secret: string;
  /** A request with the customer's key. */
  call(verb: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates another webhook of the customer. */
  add(channels: number[], url?: string): Promise<{ id: number; secret: string }>;
  change(body: object, id?: number): Promise<Answer>;
  view(id?: number): Promise<WebhookView>;
  /** The log of deliveries, newest first. */
  deliveries(id?: number): Promise<DeliveryView[]>;
  /** Imports new posts of channel 1 with these ids, published now. */
  read(ids: readonly number[], more?: Fields): Promise<void>;
  now(): number;
  /** Does everything that is due at this instant. */
  runDue(): Promise<void>;
  /** Lets time pass while the process runs. */
  pass(durationMs: number): Promise<void>;
  passUntil(instantMs: number): Promise<void>;
  /** Imports posts, cuts events and makes the attempts. @returns the instant of the attempts */
  send(ids: readonly number[], more?: Fields): Promise<number>;
  /** Attempts so far. */
  attempts(): FakePost[];
  close(): Promise<void>;
}

export async function startPushing(
  environment: Environment = {},
  ports?: FakePorts,
): Promise<Pushing> {
  const appliance = await startAppliance(environment, ports);
  const { clock, network } = appliance.ports;
  const customer = await appliance.customer({ access: "read_write" });
  await imported(appliance, "channels", [channel(1), channel(2), channel(3)]);

  const pushing: Pushing = {
    appliance,
    customer,
    id: 0,
    secret: "",

    call: (verb, path, body) =>
      appliance.request(path, {
        key: customer.key,
        method: verb,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
      }),

    async add(channels, url = RECEIVER) {
      const { status, body } = await pushing.call("POST", "/v1/msgr/webhooks/", { url, channels });
      expect(status, JSON.stringify(body)).toBe(201);
      return { id: body.id, secret: body.secret };
    },

    change: (body, id = pushing.id) => pushing.call("PATCH", `/v1/msgr/webhooks/${id}/`, body),

    async view(id = pushing.id) {
      const { status, body } = await pushing.call("GET", `/v1/msgr/webhooks/${id}/`);
      expect(status).toBe(200);
      return body;
    },

    async deliveries(id = pushing.id) {
      const path = `/v1/msgr/webhooks/${id}/deliveries/?limit=100`;
      const { status, body } = await pushing.call("GET", path);
      expect(status).toBe(200);
      return body.results;
    },

    read: (ids, more = {}) =>
      imported(
        appliance,
        "posts",
        ids.map((id) => ({
          id,
          channel: 1,
          text: `Post ${id}`,
          published_at: new Date(clock.now()).toISOString(),
          ...more,
        })),
      ),

    now: () => clock.now(),
    runDue: () => appliance.app.push.runDue(),
    pass: (durationMs) => pushing.passUntil(clock.now() + durationMs),

    async passUntil(instantMs) {
      expect(instantMs, "the instant is over").toBeGreaterThanOrEqual(clock.now());
      while (clock.now() < instantMs) {
        clock.advance(Math.min(LOOK_EVERY_MS, instantMs - clock.now()));
        await pushing.runDue();
      }
    },

    async send(ids, more) {
      const before = network.posts.length;
      await pushing.read(ids, more);
      for (let looks = 0; network.posts.length === before; looks++) {
        expect(looks, "no event came within two minutes").toBeLessThan(120);
        await pushing.pass(SECOND_MS);
      }
      return clock.now();
    },

    attempts: () => network.posts,
    close: () => appliance.close(),
  };

  Object.assign(pushing, await pushing.add([1, 2]));
  await pushing.runDue();
  return pushing;
}

/** Ids of the posts of each attempt so far, one list per attempt. */
export function postsSent({ attempts }: Pushing): number[][] {
  return attempts().map(postsOf);
}

export function postsOf({ body }: FakePost): number[] {
  return JSON.parse(body).posts.map(({ id }: { id: number }) => id);
}

export function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place);
}

/** A receiver that keeps all its callers waiting until the test answers. */
export function holdAnswers(network: FakeNetwork): {
  /** Settles at the first call. */
  called: Promise<void>;
  answer(result: PostResult): void;
} {
  const called = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<PostResult>();
  network.answer = () => {
    called.resolve();
    return answered.promise;
  };
  return { called: called.promise, answer: answered.resolve };
}

/**
 * Makes the receiver fail from now on, and the first attempt with it. @returns the instant of that attempt
 */
export async function startFailing(
  pushing: Pushing,
  ids: readonly number[] = [1],
): Promise<number> {
  pushing.appliance.ports.network.answer = () => ({ status: 500 });
  return pushing.send(ids);
}

export function recover({ appliance }: Pushing): void {
  appliance.ports.network.answer = () => ({ status: 204 });
}
