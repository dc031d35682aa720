import type { RateShares } from "../customers/limits/rates.ts";
import type { Clock } from "../ports/clock.ts";
import type { Notices } from "./notices.ts";

/** The channel on which processes tell each other what they were asked for. */
export const RATES_CHANNEL = "kanalog_rates";

/** Organizations per notification, which PostgreSQL limits to 8,000 bytes. */
const PER_PART = 200;
/** Demand below this part of a rate is not reported: few customers ever come near theirs. */
const REPORTED_PART = 0.02;
/** A process is gone once this many of our own reports came back without one of its. */
const MISSED_MAX = 3;
/** Part of a rate that stays while nodes make up for what they answered too much. */
const LEFT_IN_DEBT = 0.25;
/** Part of the common bucket that is full as long as the nodes together stay below the rate. */
const UNDIVIDED_ABOVE = 0.5;
/** Seconds' worth of the rate that are made up for at most. */
const DEBT_MAX_S = 5;

/** Requests per second of an organization on one process. */
type Asked = [organizationId: number, demand: number, taken: number];
type Part = [node: string, process: string, number: number, asked: Asked[]];

/** An organization that was asked for on this process. */
interface Own {
  perSecond: number;
  /** Requests per second that this node may answer. */
  share: number;
  /** Since the last report. */
  asked: number;
  taken: number;
  /** Requests per second, halved each second without any, so that breaks do not make a node forget. */
  demand: number;
  takenPerSecond: number;
  /** Tokens in the bucket that one machine would have; negative if all nodes took more. */
  tokens: number;
}

interface Peer {
  node: string;
  /** Number of its last report. */
  number: number;
  missed: number;
  asked: Map<number, { demand: number; taken: number }>;
}

/**
 * Divides organizations' rates over the nodes, in proportion to what each is asked for; what others leave,
 * every node may use. Each process reports once a second by `NOTIFY`, which writes nothing, and hears its own
 * report too: without PostgreSQL nothing is heard, and the last shares stay. An organization that only one node
 * is asked for has its full rate there at any time.
 */
export function createRateShares(
  { node, process }: { node: string; process: string },
  notices: Pick<Notices, "send">,
  clock: Pick<Clock, "monotonic">,
) {
  const own = new Map<number, Own>();
  const peers = new Map<string, Peer>();
  let number = 0;
  let heardNumber = 0;
  let reportedMs = clock.monotonic();
  let hasReported = false;

  function begin(organizationId: number, perSecond: number): Own {
    const { demand, taken } = reported(organizationId);
    // Whoever was refused nothing elsewhere has a bucket that is nearly full.
    const tokens = demand < perSecond ? perSecond : perSecond - taken;
    const begun: Own = {
      ...{ perSecond, share: perSecond, tokens },
      ...{ asked: 0, taken: 0, demand: 0, takenPerSecond: 0 },
    };
    own.set(organizationId, begun);
    divide(organizationId, begun);
    return begun;
  }

  /** Requests per second that other processes reported. */
  function reported(organizationId: number): { demand: number; taken: number } {
    const sum = { demand: 0, taken: 0 };
    for (const { asked } of peers.values()) {
      const of = asked.get(organizationId);
      sum.demand += of?.demand ?? 0;
      sum.taken += of?.taken ?? 0;
    }
    return sum;
  }

  function divide(organizationId: number, of: Own): void {
    let here = Math.min(Math.max(of.demand, of.asked, 1), of.perSecond);
    let elsewhere = 0;
    for (const peer of peers.values()) {
      const demand = peer.asked.get(organizationId)?.demand ?? 0;
      if (peer.node === node) here += demand;
      else elsewhere += demand;
    }
    if (elsewhere === 0 || of.tokens >= UNDIVIDED_ABOVE * of.perSecond) {
      of.share = of.perSecond;
      return;
    }
    const rest = of.perSecond + Math.min(0, of.tokens);
    const rate = Math.max(LEFT_IN_DEBT * of.perSecond, rest);
    of.share = Math.max((rate * here) / (here + elsewhere), rate - elsewhere);
  }

  /** Begins a new second. @returns the report of the last one */
  function count(): Asked[] {
    const nowMs = clock.monotonic();
    const seconds = Math.max(1, (nowMs - reportedMs) / 1000);
    reportedMs = nowMs;
    const report: Asked[] = [];
    for (const [id, of] of own) {
      // More than the rate is no larger claim to it.
      of.demand = Math.min(Math.max(of.asked / seconds, of.demand / 2), of.perSecond);
      of.takenPerSecond = of.taken / seconds;
      of.asked = 0;
      of.taken = 0;
      if (of.demand < 1 / 2) own.delete(id);
      else if (of.demand > of.perSecond * REPORTED_PART) {
        report.push([id, rounded(of.demand), rounded(of.takenPerSecond)]);
      }
    }
    return report;
  }

  /** Another second is over: by now, everybody else who lives has reported it too. */
  function advance(): void {
    for (const [name, peer] of peers) {
      peer.missed += 1;
      if (peer.missed > MISSED_MAX) peers.delete(name);
    }
    for (const [id, of] of own) {
      const taken = of.takenPerSecond + reported(id).taken;
      const tokens = Math.min(of.perSecond, of.tokens + of.perSecond - taken);
      of.tokens = Math.max(-DEBT_MAX_S * of.perSecond, tokens);
      divide(id, of);
    }
  }

  function hearPeer([of, name, at, report]: Part): void {
    const before = peers.get(name);
    const asked = before?.number === at ? before.asked : new Map();
    for (const [id, demand, taken] of report) asked.set(id, { demand, taken });
    if (asked.size === 0) peers.delete(name);
    else peers.set(name, { node: of, number: at, missed: 0, asked });
    for (const id of new Set([...(before?.asked.keys() ?? []), ...asked.keys()])) {
      const mine = own.get(id);
      if (mine !== undefined) divide(id, mine);
    }
  }

  const shares: RateShares = {
    ask(organizationId, perSecond) {
      const of = own.get(organizationId) ?? begin(organizationId, perSecond);
      of.asked += 1;
      if (of.perSecond !== perSecond) {
        of.perSecond = perSecond;
        divide(organizationId, of);
      }
      return of.share;
    },
    noteTaken(organizationId) {
      const of = own.get(organizationId);
      if (of !== undefined) of.taken += 1;
    },
    peek: (organizationId, perSecond) => own.get(organizationId)?.share ?? perSecond,
  };

  return {
    ...shares,

    /** Called once a second. Never throws; without PostgreSQL it does nothing. */
    async tick(): Promise<void> {
      const report = count();
      if (report.length === 0 && !hasReported && peers.size === 0) return;
      hasReported = report.length > 0;
      number += 1;
      const parts: Part[] = [];
      for (let at = 0; at === 0 || at < report.length; at += PER_PART) {
        parts.push([node, process, number, report.slice(at, at + PER_PART)]);
      }
      await notices.send(
        RATES_CHANNEL,
        parts.map((part) => JSON.stringify(part)),
      );
    },

    /** @param payload ignored unless it is a process's report */
    hear(payload: string): void {
      const part = partOf(payload);
      if (part === null) return;
      if (part[1] !== process) hearPeer(part);
      else if (part[2] !== heardNumber) {
        heardNumber = part[2];
        advance();
      }
    },
  };
}

function partOf(payload: string): Part | null {
  try {
    const part: Part = JSON.parse(payload);
    const isReport =
      Array.isArray(part) &&
      Array.isArray(part[3]) &&
      part[3].every((one) => Array.isArray(one) && one.length === 3 && one.every(Number.isFinite));
    return isReport ? part : null;
  } catch {
    return null;
  }
}

function rounded(perSecond: number): number {
  return Math.round(perSecond * 10) / 10;
}
