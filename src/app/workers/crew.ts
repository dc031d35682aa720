import type { SetUpToken } from "../../doors/site/guard/set-up.ts";
import type { Clock } from "../../ports/clock.ts";
import { dieWithParent } from "../../ports/system.ts";
import { openWorkerMemory, type WorkerMemory } from "./worker-memory.ts";
import type { FromWorker, Question, Questions, ToWorker, WorkerStart } from "./worker-messages.ts";

/** How a worker answers questions from the others. */
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

/** File descriptor of the shared memory in every worker. */
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

/** Sends a message to the supervisor, unless it is gone. */
function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
