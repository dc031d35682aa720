import { beforeEach, describe, expect, test } from "bun:test";
import { createRateShares } from "../../src/cluster/rate-shares.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { createRates } from "../../src/customers/limits/rates.ts";
import type { Node } from "../support/cluster.ts";
import { fakeClock } from "../support/fake-ports.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";
import { until } from "../support/until.ts";
import { seededRandom } from "../support/webhook-journey.ts";

/** An organization's rate over several nodes, to which it sends more than that. */

const RATE = 20;
/** Time between requests, and the steps of a second. */
const STEP_MS = 100;
const STEPS = 1_000 / STEP_MS;

/** What may be answered in some seconds: 1.2 times the rate, and the burst of one machine. */
function expectAsOnOneMachine(answered: number, seconds: number): void {
  expect(answered).toBeLessThanOrEqual(1.2 * RATE * seconds + RATE);
  expect(answered).toBeGreaterThanOrEqual(0.9 * RATE * seconds);
}

describe.skipIf(!hasPostgres)("the rate of a customer who sends to two nodes", () => {
  newClusterEachTest();
  let key: string;
  let steps: number;

  beforeEach(async () => {
    if (!hasPostgres) return;
    steps = 0;
    ({ key } = await one.customer());
    for (const { code } of await one.app.domains.accounts.plans()) {
      await one.app.domains.accounts.changePlan(code, { requestsPerSecond: RATE }, COMMAND_LINE);
    }
    await cluster.copyAll();
    for (const { line } of cluster.nodes) line.hearsNotices = true;
    for (const node of cluster.nodes) {
      await node.request("/v1/me/", { key });
      await until(() => hears(node), `${node.name} listens`);
    }
    cluster.ports.clock.advance(30_000);
  });

  /** Whether a node hears what it shares. */
  async function hears({ app, line }: Node): Promise<boolean> {
    const before = line.rateNotices;
    await app.shareRates();
    return line.rateNotices > before;
  }

  const evenly = (): [Node, number][] => [
    [one, 2],
    [other, 2],
  ];

  /** Shares rates from one node, and waits until those that can have heard it. */
  async function share(node: Node, hearing: readonly Node[]): Promise<void> {
    const before = hearing.map(({ line }) => line.rateNotices);
    await node.app.shareRates();
    await until(
      () => hearing.every(({ line }, at) => line.rateNotices > (before[at] as number)),
      "the nodes have heard it",
    );
    // What arrived before an answer is read before it.
    for (const { copy } of hearing) await copy();
  }

  /**
   * @param perStep requests to each node in 100 ms
   * @param talking nodes that reach PostgreSQL
   * @returns the requests that were answered
   */
  async function send(
    seconds: number,
    perStep: readonly [Node, number][],
    talking: readonly Node[] = cluster.nodes,
  ): Promise<number> {
    let answered = 0;
    for (let step = 0; step < seconds * STEPS; step++) {
      for (const [node, count] of perStep) {
        for (let at = 0; at < count; at++) {
          const { status } = await node.request("/v1/me/", { key });
          if (status === 200) answered += 1;
          else expect(status).toBe(429);
        }
      }
      cluster.ports.clock.advance(STEP_MS);
      steps += 1;
      // Each node has its own seconds.
      for (const [at, node] of cluster.nodes.entries()) {
        if (talking.includes(node) && steps % STEPS === at * 4) await share(node, talking);
      }
    }
    return answered;
  }

  test("is hers, whether she sends evenly or nine of ten to one node", async () => {
    expectAsOnOneMachine(await send(10, evenly()), 10);
    const unevenly: [Node, number][] = [
      [one, 9],
      [other, 1],
    ];
    expectAsOnOneMachine(await send(10, unevenly), 10);
  });

  test("is the full one at once on the only node that she sends to, and soon on another", async () => {
    expect(await send(1, [[one, 4]])).toBeWithin(1.8 * RATE, 2 * RATE + 1);
    expect(await send(5, [[one, 4]])).toBeWithin(5 * RATE - 1, 5 * RATE + 1);
    await send(2, [[other, 4]]);
    expect(await send(5, [[other, 4]])).toBeWithin(0.9 * 5 * RATE, 5 * RATE + 1);
  });

  test("is given back within seconds by a node that dies, and stays as it was without PostgreSQL", async () => {
    await send(5, evenly());
    for (const { line } of cluster.nodes) line.cut();
    expect(await send(5, evenly(), [])).toBeWithin(4 * RATE, 1.2 * 5 * RATE);
    one.line.mend();
    await until(() => hears(one), "the node listens again");
    await send(4, [[one, 4]], [one]);
    expect(await send(5, [[one, 4]], [one])).toBeWithin(0.9 * 5 * RATE, 5 * RATE + 1);
  });
});

/** Nodes that hear each other at once. */
function nodesOf(count: number, rate: number) {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const hearing: ((payload: string) => void)[] = [];
  const send = async (_: string, payloads: readonly string[]): Promise<void> => {
    for (const payload of payloads) for (const hear of hearing) hear(payload);
  };
  const nodes = Array.from({ length: count }, (_, at) => {
    const shares = createRateShares({ node: `${at}`, process: `${at}` }, { send }, clock);
    hearing.push(shares.hear);
    const rates = createRates(clock, undefined, shares);
    return {
      ...{ tick: shares.tick, hear: shares.hear },
      take: () => rates.take(1, rate, clock.now()),
    };
  });
  return {
    nodes,

    /**
     * Sends requests one at a time, evenly in time.
     * @param nodeAt which node gets the one of a second
     */
    async sendEach(seconds: number, perSecond: number, nodeAt: (second: number) => number) {
      let answered = 0;
      let due = 0;
      for (let step = 0; step < seconds * STEPS; step++) {
        for (due += perSecond / STEPS; due >= 1; due -= 1) {
          if (nodes[nodeAt(step / STEPS)]?.take().allowed) answered += 1;
        }
        clock.advance(STEP_MS);
        for (const [at, { tick }] of nodes.entries())
          if ((step + at * 3) % STEPS === 0) await tick();
      }
      return answered;
    },

    /** @param perStep requests to each node, which may be fractions */
    async send(seconds: number, perStep: readonly number[], offset: number): Promise<number> {
      let answered = 0;
      const due = nodes.map(() => 0);
      for (let step = 0; step < seconds * STEPS; step++) {
        for (const [at, { take }] of nodes.entries()) {
          due[at] = (due[at] as number) + (perStep[at] as number);
          for (; (due[at] as number) >= 1; due[at] = (due[at] as number) - 1) {
            if (take().allowed) answered += 1;
          }
        }
        clock.advance(STEP_MS);
        for (const [at, { tick }] of nodes.entries()) {
          if ((step + at * offset) % STEPS === 0) await tick();
        }
      }
      return answered;
    },
  };
}

test("three nodes answer a rate together, however their seconds lie and requests are spread", async () => {
  for (const offset of [0, 1, 3, 7]) {
    for (const perStep of [
      [3, 3, 3],
      [8, 1, 0],
      [1, 1, 1],
      [0.7, 0.7, 0.7],
      [5, 0.2, 0.2],
    ]) {
      expectAsOnOneMachine(await nodesOf(3, RATE).send(10, perStep, offset), 10);
    }
  }
});

test("who stays below the rate is refused nothing on any node", async () => {
  for (const perStep of [
    [0.6, 0.6, 0.6],
    [1.8, 0.1, 0],
    [1.6, 0.2, 0.1],
  ]) {
    const wanted = perStep.reduce((sum, one) => sum + one, 0) * STEPS * 20;
    const answered = await nodesOf(3, RATE).send(20, perStep, 3);
    expect(answered).toBeGreaterThanOrEqual(Math.floor(wanted) - 3);
  }
});

test("who stays below the rate is answered too if a balancer picks nodes at random, or another for a while", async () => {
  const random = seededRandom(1);
  expect(
    await nodesOf(3, 5).sendEach(60, 4, () => Math.floor(3 * random())),
  ).toBeGreaterThanOrEqual(235);
  const inTurns = (second: number) => Math.floor(second / 5) % 2;
  expect(await nodesOf(2, 10).sendEach(60, 9, inTurns)).toBeGreaterThanOrEqual(539);
});

test("after a flood of one node, another answers within seconds, and says to wait for no longer", async () => {
  const cluster = nodesOf(2, 2);
  await cluster.sendEach(3, 200, () => 0);
  const refused = Array.from({ length: 5 }, () => cluster.nodes[1]?.take()).at(-1);
  expect(refused).toMatchObject({ allowed: false });
  expect(refused?.retryAfterS).toBeWithin(1, 4);
  await cluster.sendEach(3, 1, () => 1);
  expect(await cluster.sendEach(10, 2, () => 1)).toBeGreaterThanOrEqual(19);
});

test("what is no report is ignored", () => {
  const [node] = nodesOf(1, 2).nodes;
  for (const payload of [
    "",
    "{}",
    "[]",
    '["n","p",1,[1]]',
    '["n","p",1,[[1,2]]]',
    '["n","p",1,[["1",2,3]]]',
  ]) {
    node?.hear(payload);
  }
  expect(node?.take().allowed).toBe(true);
});

test("a rate of one request a second is divided too", async () => {
  const answered = await nodesOf(2, 1).send(20, [1, 1], 3);
  expect(answered).toBeWithin(18, 24);
});
