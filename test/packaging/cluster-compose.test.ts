import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SETTINGS } from "../../src/config.ts";
import { PROGRAM } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";
import { until } from "../support/until.ts";

interface Service {
  environment: Record<string, string>;
  entrypoint: string[];
  command: string[];
  depends_on: Record<string, { condition: string }>;
}

/** The compose file that starts two nodes to try a cluster. */
const file = join(import.meta.dir, "../../src/packaging/cluster.compose.yaml");
const compose = Bun.YAML.parse(readFileSync(file, "utf8")) as {
  services: Record<string, Service>;
  configs: { haproxy: { content: string } };
  volumes: Record<string, null>;
};
const NODES = ["one", "two"];
const node = (name: string): Service => compose.services[name] as Service;

test("its nodes have existing settings, names of their own, and the same secret and PostgreSQL", () => {
  for (const name of NODES) {
    const { environment } = node(name);
    for (const setting of Object.keys(environment)) expect(SETTINGS).toHaveProperty([setting]);
    expect(environment["KANALOG_NODE"]).toBe(name);
    expect(environment["KANALOG_SECRET"]).toStartWith("${KANALOG_SECRET:?");
    expect(environment["KANALOG_CLUSTER"]).toBe(node("one").environment["KANALOG_CLUSTER"]);
  }
  expect(Object.keys(node("two").depends_on)).toEqual(["one"]);
  expect(Object.keys(compose.volumes)).toEqual(["postgres", ...NODES]);
});

test("its HAProxy checks each node's port for readiness", () => {
  const lines = compose.configs.haproxy.content.split("\n").map((line) => line.trim());
  const servers = lines.filter((line) => line.startsWith("server "));
  const port = SETTINGS.KANALOG_PORT.fallback;
  expect(servers).toEqual(NODES.map((name) => `server ${name} ${name}:${port}`));
  expect(lines).toContain("option httpchk GET /readyz");
});

test.skipIf(!hasPostgres)(
  "its nodes create a cluster, the second joining the first, and restart with the existing one",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
    const program = join(folder, "kanalog");
    writeFileSync(
      program,
      `#!/bin/sh\nexec ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"\n`,
    );
    chmodSync(program, 0o755);
    const url = await newPostgresDatabase();

    async function start(name: string): Promise<Bun.Subprocess<"ignore", "pipe", "pipe">> {
      const { environment, entrypoint, command } = node(name);
      const script = command.map((text) => text.replaceAll("$$", "$"));
      const child = Bun.spawn([...entrypoint, ...script], {
        cwd: folder,
        env: {
          ...{ PATH: `${folder}:${process.env["PATH"]}`, HOME: folder, TMPDIR: folder },
          ...environment,
          ...{
            KANALOG_CLUSTER: url,
            KANALOG_SECRET: "a secret of both nodes of a look".padEnd(40),
          },
          ...{
            KANALOG_DB: join(folder, `${name}.db`),
            KANALOG_HOST: "127.0.0.1",
            KANALOG_PORT: "0",
          },
        },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      let printed = "";
      for (const stream of [child.stdout, child.stderr]) {
        void (async () => {
          for await (const chunk of stream) printed += Buffer.from(chunk).toString();
        })();
      }
      await until(() => {
        if (child.exitCode !== null) throw new Error(`${name} ended: ${printed}`);
        return printed.includes("Kanalog serves at");
      }, `${name} serves`);
      return child;
    }
    const stop = async (child: Bun.Subprocess): Promise<void> => {
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
    };
    const status = (): string => {
      const environment = { ...node("one").environment, KANALOG_CLUSTER: url };
      const env = { PATH: process.env["PATH"], ...environment, KANALOG_SECRET: "x".repeat(40) };
      return Bun.spawnSync([program, "cluster", "status"], { cwd: folder, env }).stdout.toString();
    };

    const children: Bun.Subprocess[] = [];
    try {
      for (const name of NODES) children.push(await start(name));
      await until(() => NODES.every((name) => status().includes(`${name} `)), "both nodes");
      await stop(children.pop() as Bun.Subprocess);
      children.push(await start("two"));
      await stop(children[0] as Bun.Subprocess);
      children.push(await start("one"));
    } finally {
      for (const child of children) {
        child.kill("SIGKILL");
        await child.exited;
      }
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
