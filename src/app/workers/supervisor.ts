import type { Environment } from "../../config.ts";
import { setUpToken } from "../../doors/site/guard/set-up.ts";
import { createClockWatch } from "../../ports/clock.ts";
import type { Ports } from "../../ports/ports.ts";
import { makeSharedMemory } from "../../ports/system-calls.ts";
import { localAddress } from "../../values/network/address-ranges.ts";
import { WORKER_MEMORY_BYTES } from "./crew.ts";
import type { FromWorker, WorkerChild, WorkerStart } from "./question-desk.ts";
import { createQuestionDesk, sendTo } from "./question-desk.ts";

export interface WorkersOptions {
  count: number;
  host: string;
  port: number;
  environment: Environment;
}

interface Started {
  address: string;
  /** Path of the set-up page while the appliance has no account yet; null otherwise. */
  setUpPath: string | null;
}

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
 * Twice what a worker allows itself for a shutdown (app/app.ts): one that takes longer hangs and is
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

/**
 * Starts a worker again whenever it ends, until shutdown. A start that fails, as for lack of memory, counts
 * as a worker that ended: the others go on serving meanwhile.
 * @param ended settles with the exit code of the worker that is running
 * @param startAgain settles with the exit code of the next one
 */
export async function keepRunning(
  worker: number,
  ended: Promise<number>,
  startAgain: () => Promise<number>,
  stopping: AbortSignal,
  { clock, log }: Pick<Ports, "clock" | "log">,
): Promise<void> {
  const waitMs = createRestartWaits();
  const started = async (): Promise<number | null> => {
    try {
      return await startAgain();
    } catch (error) {
      log.error({ err: error, worker }, "a worker could not be started");
      return null;
    }
  };
  let current: Promise<number | null> = ended;
  for (;;) {
    const startedMs = clock.monotonic();
    const exitCode = await current;
    if (stopping.aborted) return;
    const pauseMs = waitMs(clock.monotonic() - startedMs);
    log.error({ worker, exitCode, pauseMs }, "a worker ended and will be restarted");
    if (pauseMs > 0) await clock.sleep(pauseMs, stopping);
    if (stopping.aborted) return;
    current = started();
  }
}

/** A worker that lived this long was healthy, so its next restart starts the back-off anew. */
const WELL_AFTER_MS = 60_000;
const FIRST_MS = 500;
const MAX_MS = 30_000;

/**
 * Back-off before a worker is restarted: none at first, then doubled whenever the worker ends soon after
 * its start, up to half a minute.
 */
export function createRestartWaits(): (livedMs: number) => number {
  let nextMs = 0;
  return (livedMs) => {
    if (livedMs >= WELL_AFTER_MS) nextMs = 0;
    const waitMs = nextMs;
    nextMs = Math.min(MAX_MS, Math.max(FIRST_MS, 2 * nextMs));
    return waitMs;
  };
}

const HEARTBEAT_MS = 1_000;
/**
 * Unanswered heartbeats after which a worker counts as hung. Its upkeep has passed to another worker by
 * then, and nothing a worker does on its answering thread takes more than milliseconds.
 */
const UNANSWERED_MAX = 15;

/**
 * Kills workers that run but do not respond, until shutdown: clients would wait on their connections, and
 * one stuck inside a commit would block all writers. Heartbeats are counted instead of timed, because none
 * is sent while the whole machine is suspended. A starting worker is left alone, since it may be migrating
 * the file.
 */
async function endSilentWorkers(
  running: ReadonlyMap<number, WorkerChild>,
  stopping: AbortSignal,
  { clock, log }: Pick<Ports, "clock" | "log">,
): Promise<void> {
  while (!stopping.aborted) {
    for (const [number, worker] of running) {
      if (!worker.isReady) continue;
      if (worker.unanswered === UNANSWERED_MAX) {
        log.error(
          { worker: number, pid: worker.child.pid },
          "a worker does not respond and is killed",
        );
        worker.child.kill("SIGKILL");
      }
      worker.unanswered += 1;
      sendTo(worker, { heartbeat: true });
    }
    await clock.sleep(HEARTBEAT_MS, stopping);
  }
}
