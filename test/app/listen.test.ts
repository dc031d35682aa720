import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { claimPort } from "../../src/app/listen.ts";

/** Uses the system's own errors, which no fake would reproduce. */

test("an address that belongs to another machine, or to none, is refused with that reason", () => {
  // The first is reserved for documentation (RFC 5737), so no machine has it.
  for (const host of ["192.0.2.1", "999.1.1.1", "no-such-name.invalid"]) {
    expect(() => claimPort({ host, port: 0 }), host).toThrow(
      `${host} is not an address of this machine`,
    );
  }
});

/** In some containers every user may use all ports. */
const FREE_PORTS = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
const isFree = !existsSync(FREE_PORTS) || Number(readFileSync(FREE_PORTS, "utf8")) <= 80;

test.skipIf(isFree || process.getuid?.() !== 0 || Bun.which("setpriv") === null)(
  "a port that needs root privileges is refused with advice",
  async () => {
    const script = `
      import { existsSync, readFileSync } from "node:fs";
import { claimPort } from "${new URL("../../src/app/listen.ts", import.meta.url).pathname}";
      try { claimPort({ host: "127.0.0.1", port: 80 }); } catch (error) { console.log(error.message); }`;
    const nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all"];
    const child = Bun.spawn([...nobody, process.execPath, "-e", script]);
    expect(await child.stdout.text()).toContain(
      "Cannot listen on 127.0.0.1:80: ports below 1024 need a special right.",
    );
  },
);

test("an address in brackets works like one without, and a free port next to it is found", () => {
  const other = Bun.serve({ hostname: "::1", port: 0, fetch: () => new Response() });
  const port = other.port ?? 0;
  expect(() => claimPort({ host: "[::1]", port })).toThrow("add --port");
  void other.stop(true);
  expect(claimPort({ host: "[::1]", port })).toBe(port);
});
