/** Receives events over HTTPS, in a separate process, and counts them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { takeOrders } from "./orders.ts";

/** Events received between `begin` and `end`. */
export interface Received {
  port: number;
  /** Counts by kind. */
  events: Record<string, number>;
}

const PEM = readFileSync(join(import.meta.dir, "../../support/tls/receiver.pem"), "utf8");

if (import.meta.main) {
  await takeOrders(() => {
    let events: Received["events"] = {};
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: { key: PEM, cert: PEM },
      async fetch(request) {
        const event = request.headers.get("x-service-event") ?? "other";
        await request.arrayBuffer();
        events[event] = (events[event] ?? 0) + 1;
        return new Response();
      },
    });
    return {
      begin() {
        events = {};
      },
      end: async () => ({ port: server.port, events }),
    };
  });
}
