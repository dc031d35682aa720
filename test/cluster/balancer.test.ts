import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";

/** HAProxy on the file that `kanalog cluster files` writes, in front of three addresses of this machine. */

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const program = ["/usr/sbin/haproxy", "haproxy"].find((path) => Bun.which(path) !== null);
const KEYS = Array.from({ length: 40 }, (_, at) => `Bearer key${at}`);

test.skipIf(program === undefined || process.platform !== "linux")(
  "a key stays on one node, and is answered by others while that is not ready or away",
  async () => {
    // Addresses that nothing else uses, because the file's ports are fixed.
    const net = `127.${1 + (process.pid % 250)}.${Math.floor(process.pid / 250) % 250}`;
    const hosts = [1, 2, 3].map((last) => `${net}.${last}`);
    const words = ["--hosts", hosts.join(","), "--to", machine.path("files")];
    expect((await machine.run(["cluster", "files", ...words])).exitCode).toBe(0);
    const written = join(machine.path("files"), `${net}.1`, "etc/haproxy/haproxy.cfg");
    // Only root may listen on port 80.
    const config = readFileSync(written, "utf8").replace("bind :80", `bind ${net}.9:8081`);
    let unready: string | null = null;
    const serve = (hostname: string) =>
      Bun.serve({
        ...{ hostname, port: 8080 },
        fetch: ({ url, headers }) =>
          url.endsWith("/readyz")
            ? new Response(null, { status: hostname === unready ? 503 : 200 })
            : Response.json({ hostname, client: headers.get("x-forwarded-for") }),
      });
    const nodes = hosts.map(serve);
    const haproxy = Bun.spawn([program ?? "", "-db", "-f", machine.write("haproxy.cfg", config)], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    /** Which node answers each key. */
    const answering = () =>
      Promise.all(
        KEYS.map(async (authorization) => {
          const response = await fetch(`http://${net}.9:8081/`, { headers: { authorization } });
          expect(response.status).toBe(200);
          const { hostname, client } = (await response.json()) as Record<string, string>;
          expect(client).toStartWith("127.");
          return hostname;
        }),
      );
    const settled = (wanted: (seen: (string | undefined)[]) => boolean) =>
      until(async () => wanted(await answering().catch(() => [])), "a balance");
    try {
      await settled((seen) => new Set(seen).size === hosts.length);
      const first = await answering();
      expect(await answering()).toEqual(first);

      [unready = null] = hosts;
      await settled((seen) => seen.length > 0 && !seen.includes(hosts[0]));
      const moved = await answering();
      for (const [at, host] of first.entries()) {
        if (host !== hosts[0]) expect(moved[at]).toBe(host);
      }
      unready = null;
      await settled((seen) => Bun.deepEquals(seen, first));

      await nodes[1]?.stop(true);
      // At once, before HAProxy has noticed.
      expect(await answering()).not.toContain(hosts[1]);
    } finally {
      haproxy.kill();
      await haproxy.exited;
      for (const node of nodes) await node.stop(true);
    }
  },
);
