import type { Environment } from "../../config.ts";
import { setUpToken } from "../../doors/site/guard/set-up.ts";
import { createClockWatch } from "../../ports/clock-watch.ts";
import type { Ports } from "../../ports/ports.ts";
import { makeSharedMemory } from "../../ports/shared-memory.ts";
import { localAddress } from "../../values/listener-address.ts";
import { keepRunning } from "./keep-running.ts";
import { createQuestionDesk } from "./question-desk.ts";
import { endSilentWorkers } from "./silent-workers.ts";
import { sendTo, type WorkerChild } from "./worker-child.ts";
import { WORKER_MEMORY_BYTES } from "./worker-memory.ts";
import type { FromWorker, WorkerStart } from "./worker-messages.ts";

/** How many workers `serve` starts, and where they listen. */
export interface WorkersOptions {
  count: number;
  host: string;
  port: number;
  environment: Environment;
}

/** Outcome of a start. */
interface Started {
  address: string;
  /** Path of the set-up page while the appliance has no account yet; null otherwise. */
  setUpPath: string | null;
}

/** A worker process that was started. */
interface Spawned {
  /** Settles when it is ready; null if it ended before. */
  ready: Promise<Pick<Started, "setUpPath"> | null>;
  /** Settles with its exit code. */
  ended: Promise<number>;
}

export type Workers = ReturnType<typeof createWorkers>;

/** Command line that starts a worker: the executable itself, or Bun with the program. */
const WORKER_COMMAND = [
  process.execPath,
  ...(Bun.isStandaloneExecutable ? [] : [Bun.main]),
  "worker",
];

/**
 * Twice what a worker allows itself for a shutdown (app/stop.ts): one that takes longer hangs and is
 * killed.
 */
const STOP_MAX_MS = 20_000;

const CLOCK_LOOK_MS = 1_000;

/**
 * Starts the serving processes and restarts each that ends. They are processes rather than threads: a fault
 * of the driver or of Bun then ends one of them, where it would end all threads (tried: a segmentation
 * fault in one of two serving threads ended both). Processor time per answer is the same (30 against 33 us,
 * within the noise), and each process takes some 20 MB more.
 */
export function createWorkers(
  { count, host, port, environment }: WorkersOptions,
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
) {
  const baseMs = clock.now();
  const setUp = setUpToken(clock, random);
  const memory = makeSharedMemory(WORKER_MEMORY_BYTES, random.uuid(baseMs));
  const running = new Map<number, WorkerChild>();
  const stopping = new AbortController();
  const clockWatch = createClockWatch(clock, log);
  const desk = createQuestionDesk(running, count, clock);

  /** @throws if the system cannot start a process */
  function spawn(number: number): Spawned {
    const { promise: ready, resolve } = Promise.withResolvers<Awaited<Spawned["ready"]>>();
    const child = Bun.spawn(WORKER_COMMAND, {
      env: { ...environment, KANALOG_PORT: String(port), KANALOG_PORT_FILE: undefined },
      stdio: ["ignore", "inherit", "inherit", memory],
      serialization: "advanced",
      ipc(message: FromWorker) {
        if ("ready" in message) {
          worker.isReady = true;
          log.info({ worker: number, pid: child.pid }, "a worker is serving");
          resolve({ setUpPath: message.setUpPath });
        } else if ("heartbeat" in message) worker.unanswered = 0;
        else if ("ask" in message) void desk.ask(number, message.ask, message.id);
        else desk.answered(message.id, message.answer);
      },
    });
    const worker: WorkerChild = { child, isReady: false, unanswered: 0 };
    running.set(number, worker);
    const ended = child.exited.then((exitCode) => {
      running.delete(number);
      desk.ended(number);
      resolve(null);
      return exitCode;
    });
    const start: WorkerStart = { number, count, setUp, baseMs, bootedAt: clockWatch.bootedAt() };
    sendTo(worker, { start });
    return { ready, ended };
  }

  /** Follows the clock's small corrections, until shutdown. */
  async function watchClock(): Promise<void> {
    while (!stopping.signal.aborted) {
      clockWatch.look();
      await clock.sleep(CLOCK_LOOK_MS, stopping.signal);
    }
  }

  return {
    /**
     * Starts the first worker alone, because it migrates the file, and then the others.
     * @returns null if the first worker ended; it has reported why
     */
    async start(): Promise<Started | null> {
      const first = spawn(1);
      const ready = await first.ready;
      if (ready === null) return null;
      const others = Array.from({ length: count - 1 }, (_, at) => spawn(at + 2));
      await Promise.all(others.map((other) => other.ready));
      for (const [at, { ended }] of [first, ...others].entries()) {
        const again = () => spawn(at + 1).ended;
        void keepRunning(at + 1, ended, again, stopping.signal, { clock, log });
      }
      void watchClock();
      void endSilentWorkers(running, stopping.signal, { clock, log });
      return { ...ready, address: localAddress(host, port) };
    },

    /** Stops all workers. @returns whether each of them ended cleanly */
    async stop(): Promise<boolean> {
      stopping.abort();
      const workers = [...running.values()];
      const children = workers.map(({ child }) => child);
      for (const worker of workers) sendTo(worker, { stop: true });
      const waited = new AbortController();
      const late = clock.sleep(STOP_MAX_MS, waited.signal).then(() => {
        if (waited.signal.aborted) return;
        for (const child of children) child.kill("SIGKILL");
      });
      const exitCodes = await Promise.all(children.map(({ exited }) => exited));
      waited.abort();
      await late;
      return exitCodes.every((exitCode) => exitCode === 0);
    },
  };
}
