import { createInterface } from "node:readline";

/** Work of a child process: it begins and ends when it is told to. */
export interface Work {
  begin(): void;
  /** @returns what came of it, as JSON can hold it */
  end(): Promise<unknown>;
}

/**
 * Takes orders from the process that started this one, a JSON line each: first what to do, then
 * `"begin"` and `"end"` as often as it likes. Every end is answered by a line. Once nobody gives
 * orders any more, the process is over.
 */
export async function takeOrders<Spec extends { address: string }>(
  start: (spec: Spec) => Work,
): Promise<void> {
  let work: Work | null = null;
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line) as Spec | "begin" | "end";
    if (typeof order === "object") {
      requireLoopback(order.address);
      work = start(order);
    } else if (order === "begin") {
      work?.begin();
    } else {
      process.stdout.write(`${JSON.stringify(await work?.end())}\n`);
    }
  }
  process.exit(0);
}

/** Load is for this machine only. @throws Error */
function requireLoopback(address: string): void {
  const { hostname } = new URL(address);
  if (hostname !== "127.0.0.1") throw new Error(`${hostname} is not this machine`);
}
