import type { Environment } from "../../config.ts";
import { listenerAddress } from "../../doors/http/requests/base-address.ts";
import { setUpToken } from "../../doors/site/guard/set-up.ts";
import type { Ports } from "../../ports/ports.ts";
import { makeSharedMemory } from "../../ports/shared-memory.ts";
import { createQuestionDesk } from "./question-desk.ts";
import { createRestartWaits } from "./restart-waits.ts";
import { endSilentWorkers } from "./silent-workers.ts";
import { tell, type WorkerChild } from "./worker-child.ts";
import { WORKER_MEMORY_BYTES } from "./worker-memory.ts";
import type { FromWorker, WorkerStart } from "./worker-messages.ts";

/** The workers that `serve` is asked for, and where they listen. */
export interface WorkersOptions {
  count: number;
  host: string;
  port: number;
  environment: Environment;
}

/** How a start went. */
interface Started {
  address: string;
  /** Path at which an empty appliance is set up; null where there is somebody. */
  setUpPath: string | null;
}

export type Workers = ReturnType<typeof createWorkers>;

/** The words that start one: of the executable itself, or of Bun with the program. */
const WORKER_COMMAND = [
  process.execPath,
  ...(Bun.isStandaloneExecutable ? [] : [Bun.main]),
  "worker",
];

/** Workers have 10 seconds for what is under way; one that takes longer hangs. */
const STOP_MAX_MS = 20_000;

/**
 * Starts the processes that serve, and each that ends once more. Processes rather than threads of one: a
 * fault of the driver or of Bun then ends one of them, where it would end all threads (tried: a
 * segmentation fault in one of two threads that serve ended both), at the same processor time an answer
 * (30 against 33 us, within the noise) and some 20 MB more each.
 */
export function createWorkers(
  { count, host, port, environment }: WorkersOptions,
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
) {
  const baseMs = clock.now();
  const setUp = setUpToken(clock, random);
  const memory = makeSharedMemory(WORKER_MEMORY_BYTES, random.uuid(baseMs));
  const running = new Map<number, WorkerChild>();
  const ended = new Map<number, Promise<number>>();
  const stopping = new AbortController();
  const desk = createQuestionDesk(running, count, clock);

  /** Settles when it is ready; null where it ended before. */
  function spawn(number: number): Promise<Pick<Started, "setUpPath"> | null> {
    const { promise, resolve } = Promise.withResolvers<Pick<Started, "setUpPath"> | null>();
    const child = Bun.spawn(WORKER_COMMAND, {
      env: { ...environment, KANALOG_PORT: String(port), KANALOG_PORT_FILE: undefined },
      stdio: ["ignore", "inherit", "inherit", memory],
      serialization: "advanced",
      ipc(message: FromWorker) {
        if ("ready" in message) {
          worker.isReady = true;
          log.info({ worker: number, pid: child.pid }, "a worker serves");
          resolve({ setUpPath: message.setUpPath });
        } else if ("heartbeat" in message) worker.unanswered = 0;
        else if ("ask" in message) void desk.ask(number, message.ask, message.id);
        else desk.answered(message.id, message.answer);
      },
    });
    const worker: WorkerChild = { child, isReady: false, unanswered: 0 };
    running.set(number, worker);
    ended.set(
      number,
      child.exited.then((exitCode) => {
        running.delete(number);
        desk.ended(number);
        resolve(null);
        return exitCode;
      }),
    );
    const start: WorkerStart = { number, count, setUp, baseMs };
    tell(worker, { start });
    return promise;
  }

  /** Starts a worker again whenever it ends, until all are to stop. */
  async function keepRunning(number: number): Promise<void> {
    const waitMs = createRestartWaits();
    for (;;) {
      const startedMs = clock.monotonic();
      const exitCode = await ended.get(number);
      if (stopping.signal.aborted) return;
      const pauseMs = waitMs(clock.monotonic() - startedMs);
      log.error({ worker: number, exitCode, pauseMs }, "a worker ended; it is started again");
      if (pauseMs > 0) await clock.sleep(pauseMs, stopping.signal);
      if (stopping.signal.aborted) return;
      void spawn(number);
    }
  }

  return {
    /**
     * Starts them: the first one alone, which brings the file to this program's schema, then the others.
     * @returns null where the first one ended, which says why itself
     */
    async start(): Promise<Started | null> {
      const first = await spawn(1);
      if (first === null) return null;
      const others = Array.from({ length: count - 1 }, (_, at) => at + 2);
      await Promise.all(others.map((number) => spawn(number)));
      for (const number of [1, ...others]) void keepRunning(number);
      void endSilentWorkers(running, stopping.signal, { clock, log });
      return { ...first, address: listenerAddress(host, port) ?? `http://localhost:${port}` };
    },

    /** Has all stop what they do. @returns whether each ended as it should */
    async stop(): Promise<boolean> {
      stopping.abort();
      const workers = [...running.values()];
      const children = workers.map(({ child }) => child);
      for (const worker of workers) tell(worker, { stop: true });
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
