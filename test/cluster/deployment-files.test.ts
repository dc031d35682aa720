import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { createMachine, type Machine } from "../support/machine.ts";

/** `kanalog cluster files`; the campaign `cluster` runs PostgreSQL on what it writes. */

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const files = (hosts: string) =>
  machine.run(["cluster", "files", "--hosts", hosts, "--to", machine.path("files"), "--json"]);

test("each machine gets its files, which only their owner can read, with the same passwords", async () => {
  const hosts = ["one.example", "10.0.0.2", "10.0.0.3"];
  const { exitCode, out, notes } = await files(hosts.join(","));
  expect(exitCode, notes).toBe(0);
  const { results } = JSON.parse(out) as { results: { file: string }[] };
  expect(results).toHaveLength(7 * hosts.length);
  for (const { file } of results) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(machine.path("files")).toSorted()).toEqual(hosts.toSorted());

  const secrets = hosts.map((host) => {
    const text = readFileSync(join(machine.path("files"), host, "etc/kanalog.env"), "utf8");
    const lines = text.split("\n").filter((line) => /^[A-Z]/.test(line));
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    const { cluster, node, secret } = readConfig({ ...environment, KANALOG_DB: ":memory:" });
    expect(node).toBe(`node-${host.replaceAll(".", "-")}`);
    expect(cluster).toContain("@one.example:5432,10.0.0.2:5432,10.0.0.3:5432/kanalog");
    return `${cluster} ${secret}`;
  });
  expect(new Set(secrets).size).toBe(1);
  expect(readdirSync(join(machine.path("files"), "10.0.0.2/etc")).toSorted()).toEqual(
    ["default", "haproxy", "kanalog.env", "patroni", "systemd"].toSorted(),
  );

  const haproxy = join(machine.path("files"), "10.0.0.2/etc/haproxy/haproxy.cfg");
  expect(readFileSync(haproxy, "utf8")).toContain("balance hdr(Authorization)");
  const program = ["/usr/sbin/haproxy", "haproxy"].find((path) => Bun.which(path) !== null);
  if (program === undefined) return;
  // The names of the machines cannot be resolved here.
  const local = machine.write(
    "haproxy.cfg",
    readFileSync(haproxy, "utf8").replaceAll("one.example:", "127.0.0.1:"),
  );
  const checked = spawnSync(program, ["-c", "-f", local], { encoding: "utf8" });
  expect(checked.status, checked.stderr).toBe(0);
});

test("fewer than three machines, the same twice, other names, and a folder that exists are refused", async () => {
  for (const hosts of ["a", "a,b", "a,b,b", "a,b,c;d", "a,b,", "a,,b"]) {
    const { exitCode, notes } = await files(hosts);
    expect({ hosts, exitCode }).toEqual({ hosts, exitCode: 2 });
    expect(notes).toContain("--hosts");
  }
  expect(machine.exists("files")).toBe(false);
  expect((await files("a,b,c")).exitCode).toBe(0);
  const again = await files("a,b,c");
  expect(again.exitCode).not.toBe(0);
  expect(again.notes).toContain("already exists");
});
