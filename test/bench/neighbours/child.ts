import { join } from "node:path";
import { spawn } from "../peers/processes.ts";

/** A process that works between `begin` and `end`, as often as they are called. */
export interface Child<Result> {
  begin(): void;
  end(): Promise<Result>;
  leave(): Promise<void>;
}

/** Starts a script of this folder with a specification of its work. */
export function startChild<Result>(script: string, spec: { address: string }): Child<Result> {
  const child = spawn([process.execPath, join(import.meta.dir, script)], {
    // By default Bun sends 256 requests at once and queues the rest.
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: "8192" },
  });
  const notes = child.stderr.text();
  const lines = linesOf(child.stdout);
  const send = (order: unknown): void => {
    child.stdin.write(`${JSON.stringify(order)}\n`);
    void child.stdin.flush();
  };
  send(spec);
  return {
    begin: () => send("begin"),
    async end() {
      send("end");
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${script} ended: ${await notes}`);
      return JSON.parse(value) as Result;
    },
    async leave() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}
