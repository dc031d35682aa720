import { createInterface } from "node:readline";

/** Work of a child process, which its parent begins and ends. */
export interface Work {
  begin(): void;
  /** @returns the results, as a JSON value */
  end(): Promise<unknown>;
}

/**
 * Takes orders from the parent process, one JSON line each: first a specification, then `"begin"` and `"end"` any
 * number of times. Every `"end"` is answered by a line with the results. The process exits when its input ends.
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

/** Load must only be sent to this machine. @throws Error */
function requireLoopback(address: string): void {
  const { hostname } = new URL(address);
  if (hostname !== "127.0.0.1") throw new Error(`${hostname} is not this machine`);
}
