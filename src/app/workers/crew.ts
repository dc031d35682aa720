import { DEBT_MAX_S } from "../../customers/limits/limits.ts";
import type { Buckets, RateBuckets } from "../../customers/limits/rates.ts";
import { createSharedBuckets } from "../../customers/limits/rates.ts";
import type { SetUpToken } from "../../doors/site/guard/set-up.ts";
import type { Clock } from "../../ports/clock.ts";
import { dieWithParent, isRunning } from "../../ports/system.ts";
import { openSharedMemory } from "../../ports/system-calls.ts";
import { createSharedClaims, type SharedClaims, wordsOfTable } from "../../values/claims.ts";
import type { FromWorker, Question, Questions, ToWorker, WorkerStart } from "./question-desk.ts";

export type Answers = {
  [Name in keyof Questions]: (
    argument: Questions[Name]["argument"],
  ) => Questions[Name]["answer"] | Promise<Questions[Name]["answer"]>;
};

/** One worker's view of the group of workers that make up the appliance. */
export interface Crew {
  /** The worker's number, counted from 1. */
  number: number;
  count: number;
  setUp: SetUpToken;
  memory: WorkerMemory;
  /** When the machine booted, by the supervisor's clock while it was right; epoch milliseconds. */
  bootedAt: number;
  /** Asks all other workers; null for one that is gone or busy. Empty once the supervisor is gone. */
  ask<Name extends keyof Questions>(
    name: Name,
    argument: Questions[Name]["argument"],
  ): Promise<(Questions[Name]["answer"] | null)[]>;
  /** Registers the answers to other workers' questions; called once, before the worker is ready. */
  answerWith(answers: Answers): void;
  ready(setUpPath: string | null): void;
  /** Settles when the worker should stop: it was told to, or its supervisor is gone and it still runs. */
  stopped: Promise<void>;
  isStopped(): boolean;
}

const MEMORY_DESCRIPTOR = 3;

/** The answer to a question; null if there is none or answering failed. */
export async function answerOf(
  answers: Partial<Answers> | null,
  { name, argument }: Question,
): Promise<unknown> {
  const work = answers?.[name] as ((argument: unknown) => unknown) | undefined;
  try {
    return (await work?.(argument)) ?? null;
  } catch {
    return null;
  }
}

/** Joins the supervisor that started this process as a worker; null if none did. */
export async function joinCrew(clock: Clock): Promise<Crew | null> {
  if (process.send === undefined) return null;
  dieWithParent();
  const { promise: stopped, resolve: settle } = Promise.withResolvers<void>();
  const { promise: started, resolve: start } = Promise.withResolvers<WorkerStart>();
  const waiting = new Map<number, (answers: unknown[]) => void>();
  let answers: Answers | null = null;
  let isStopped = false;
  let lastId = 0;

  function stop(): void {
    isStopped = true;
    settle();
  }

  async function answer(id: number, question: Question): Promise<void> {
    send({ answer: await answerOf(answers, question), id });
  }

  process.on("message", (message: ToWorker) => {
    if ("start" in message) start(message.start);
    else if ("stop" in message) stop();
    else if ("heartbeat" in message) send({ heartbeat: true });
    else if ("question" in message) void answer(message.id, message.question);
    else {
      waiting.get(message.id)?.(message.answers);
      waiting.delete(message.id);
    }
  });
  process.on("disconnect", () => {
    for (const resolve of waiting.values()) resolve([]);
    stop();
  });
  const { number, count, setUp, baseMs, bootedAt } = await started;
  return {
    number,
    count,
    setUp,
    bootedAt,
    stopped,
    isStopped: () => isStopped,
    memory: openWorkerMemory(MEMORY_DESCRIPTOR, baseMs, clock),
    async ask(name, argument) {
      // Without the supervisor, no answer can arrive: the question would stay open forever.
      if (!process.connected) return [];
      const id = ++lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve as (answers: unknown[]) => void);
        send({ ask: { name, argument } as Question, id });
      });
    },
    answerWith(given) {
      answers = given;
    },
    ready: (setUpPath) => send({ ready: true, setUpPath }),
  };
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

/** Limits that apply across all workers. */
interface WorkerMemory {
  rates: RateBuckets;
  throttle: Buckets<string>;
  /** Time that organizations' work may take. */
  times: Buckets<string>;
  sentForms: SharedClaims;
  /** Webhook attempts that somebody is waiting for. */
  manualAttempts: SharedClaims;
  /** Slots for customers' exports. */
  exports: SharedClaims;
}

/** Capacity of each table in names; when it is full, the oldest names are dropped first. */
const CAPACITY = {
  requests: 32_768,
  messages: 8_192,
  throttle: 16_384,
  times: 16_384,
  forms: 16_384,
  attempts: 8_192,
  exports: 4_096,
};
const WORD_BYTES = 8;

export const WORKER_MEMORY_BYTES =
  wordsOfTable(Object.values(CAPACITY).reduce((sum, keys) => sum + keys, 0)) * WORD_BYTES;

/**
 * Opens the memory that all workers share.
 * @param descriptor file descriptor of the memory
 * @param baseMs instant that times in it are relative to, the same for all workers; epoch milliseconds
 */
function openWorkerMemory(descriptor: number, baseMs: number, clock: Clock): WorkerMemory {
  const words = openSharedMemory(descriptor);
  let taken = 0;
  const take = (keys: number): BigInt64Array => {
    const from = taken;
    taken += wordsOfTable(keys);
    return words.subarray(from, taken);
  };
  const by = { processId: process.pid, nowMs: clock.now, isAlive: isRunning };
  return {
    rates: {
      requests: createSharedBuckets(take(CAPACITY.requests), baseMs),
      messages: createSharedBuckets(take(CAPACITY.messages), baseMs),
    },
    throttle: createSharedBuckets(take(CAPACITY.throttle), baseMs),
    times: createSharedBuckets(take(CAPACITY.times), baseMs, DEBT_MAX_S),
    sentForms: createSharedClaims(take(CAPACITY.forms), by),
    manualAttempts: createSharedClaims(take(CAPACITY.attempts), by),
    exports: createSharedClaims(take(CAPACITY.exports), by),
  };
}
