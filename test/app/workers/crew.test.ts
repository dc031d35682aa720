import { expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { WORKER_MEMORY_BYTES } from "../../../src/app/workers/crew.ts";
import type { WorkerStart } from "../../../src/app/workers/question-desk.ts";
import { setUpToken } from "../../../src/doors/site/guard/set-up.ts";
import { makeSharedMemory } from "../../../src/ports/system-calls.ts";
import { fakePorts } from "../../support/fake-ports.ts";

const SOURCE = resolve(import.meta.dir, "../../../src");
/** A worker that asks the others only once its supervisor is gone. */
const WORKER = `
  import { joinCrew } from "${SOURCE}/app/workers/crew.ts";
  import { systemClock } from "${SOURCE}/ports/clock.ts";
  const crew = await joinCrew(systemClock);
  crew.ready(null);
  await crew.stopped;
  console.log(JSON.stringify(await crew.ask("errors", null)));
  process.exit();
`;

test.skipIf(process.platform !== "linux")(
  "a worker whose supervisor is gone gets no answers, instead of waiting for them forever",
  async () => {
    const { clock, random } = fakePorts();
    const memory = makeSharedMemory(WORKER_MEMORY_BYTES, "crew-test");
    const { promise: joined, resolve: hasJoined } = Promise.withResolvers<void>();
    const child = Bun.spawn([process.execPath, "-e", WORKER], {
      stdio: ["ignore", "pipe", "inherit", memory],
      serialization: "advanced",
      timeout: 20_000,
      ipc: () => hasJoined(),
    });
    const setUp = setUpToken(clock, random);
    const nowMs = clock.now();
    const start: WorkerStart = { number: 1, count: 2, setUp, baseMs: nowMs, bootedAt: nowMs };
    child.send({ start });
    await joined;
    child.disconnect();
    expect(await new Response(child.stdout as ReadableStream).text()).toBe("[]\n");
    closeSync(memory);
  },
);
