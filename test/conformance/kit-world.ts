import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine, Serving } from "../support/machine.ts";

/** The report that `--json` prints. */
export interface Report {
  ok: number;
  fault: number;
  skip: number;
  checks: { part: string; title: string; outcome: string; reason: string | null }[];
}

export interface KitWorld {
  key: string;
  operatorKey: string;
  /** Runs the kit against an address, with all that it can check. */
  run(url: string): Promise<Report>;
  close(): Promise<void>;
}

const PEM = readFileSync(join(import.meta.dir, "../support/tls/receiver.pem"), "utf8");

/**
 * Keys for the kit on a machine that has loaded the sample, with rates that a test does not wait for, and an
 * https address of this machine that leads to the kit, for appliances that are `pushing()`.
 */
export async function kitWorld(machine: Machine, key: string): Promise<KitWorld> {
  for (const plan of ["test", "start", "growth", "profi"]) {
    const more = ["--rate", "1000000", "--database-ms", "64000", "--lock-ms", "1000"];
    await machine.json(["plan", "set", plan, ...more]);
  }
  const can = ["--can", "read,customers,data,system"];
  const made = await machine.json<{ key: string }>([
    "staff",
    "key",
    "create",
    "--name",
    "kit",
    ...can,
  ]);
  const listen = freePort();
  const secure = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", tls: { cert: PEM, key: PEM } },
    async fetch(request) {
      const { status, headers } = await fetch(`http://127.0.0.1:${listen}/`, {
        ...{ method: "POST", headers: request.headers, body: await request.text() },
        redirect: "manual",
      });
      const location = headers.get("location");
      return new Response(null, { status, ...(location !== null && { headers: { location } }) });
    },
  });
  const receiver = ["--receiver", `https://127.0.0.1:${secure.port}/`, "--listen", String(listen)];
  return {
    ...{ key, operatorKey: made.key },
    async run(url) {
      const keys = ["--key", key, "--operator-key", made.key, "--write"];
      const words = ["conformance", "--url", url, ...keys, ...receiver, "--json"];
      const { out, notes } = await machine.run(words);
      if (notes !== "") throw new Error(notes);
      return JSON.parse(out) as Report;
    },
    close: () => secure.stop(true),
  };
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return Number(port);
}

export const faultsOf = ({ checks }: Report) => checks.filter(({ outcome }) => outcome === "fault");

export function keyPrintedBy(serving: Serving): string {
  return /knl_rw_[0-9A-Za-z]{38}/.exec(serving.printed())?.[0] ?? "";
}
