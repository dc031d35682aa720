import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../package.json";
import { createMachine, type Machine } from "../support/machine.ts";
import { nextProgram } from "../support/next-program.ts";
import { until } from "../support/until.ts";

/** The image, built and run by buildah, which needs no daemon. */

const ROOT = join(import.meta.dir, "../..");
const DOCKERFILE = join(ROOT, "src/packaging/Dockerfile");
/** In a chroot and with plain folders: neither namespaces nor overlays are to be had everywhere. */
const ENVIRONMENT = { ...process.env, BUILDAH_ISOLATION: "chroot", STORAGE_DRIVER: "vfs" };
const TOOLS = ["buildah", "debootstrap"];
const CAN = TOOLS.every((tool) => Bun.which(tool) !== null) && process.getuid?.() === 0;
/** The user that the Dockerfile names. */
const USER = 65532;
const PORT = 8_179;

let machine: Machine;
beforeAll(() => {
  machine = createMachine();
});
afterAll(async () => {
  for (const pid of running()) process.kill(pid, "SIGKILL");
  if (CAN) buildah("rm", "--all");
  if (CAN) buildah("rmi", "--force", "kanalog-test", "kanalog-test:next");
  await machine.leave();
});

function run(...command: string[]): string {
  const ran = Bun.spawnSync(command, { env: ENVIRONMENT });
  expect(ran.exitCode, `${command.join(" ")}: ${ran.stderr}`).toBe(0);
  return ran.stdout.toString().trim();
}
const buildah = (...words: string[]): string => run("buildah", ...words);
const has = (...words: string[]): boolean =>
  Bun.spawnSync(["buildah", ...words], { env: ENVIRONMENT }).exitCode === 0;

/** The two images that the Dockerfile starts from; without their registry, stand-ins of Debian's packages. */
function haveBases(): void {
  const [debian, node] = [
    "docker.io/library/debian:bookworm-slim",
    "docker.io/library/node:22-bookworm-slim",
  ] as const;
  if ([debian, node].every((name) => has("inspect", "--type", "image", name) || has("pull", name)))
    return;
  const system = machine.path("system");
  run("debootstrap", "--variant=minbase", "bookworm", system);
  const plain = buildah("from", "scratch");
  buildah("add", plain, system, "/");
  buildah("commit", plain, debian);
  const prefix = dirname(dirname(Bun.which("node") ?? ""));
  const withNode = buildah("from", "--pull-never", debian);
  for (const folder of ["bin", "lib/node_modules"]) {
    buildah("add", withNode, join(prefix, folder), join("/usr/local", folder));
  }
  const certificates = "/etc/ssl/certs/ca-certificates.crt";
  buildah("copy", withNode, certificates, certificates);
  buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${certificates}`, withNode);
  buildah("commit", withNode, node);
}

function build(name: string, folder: string): void {
  const how = ["--pull-never", "--platform", "linux/amd64", "--format", "docker"];
  buildah("bud", ...how, "-f", DOCKERFILE, "-t", name, folder);
}

interface Started {
  printed(): string;
  hasEnded(): boolean;
  /** Stops the program as an engine stops a container. */
  stop(): Promise<number>;
  run(...words: string[]): string;
}

/** Starts the program in an image on the machine's volume, as the user that the image names. */
function start(image: string, command: string): Started {
  const container = buildah("from", "--pull-never", image);
  const settings = { KANALOG_PORT: String(PORT), KANALOG_DB: "/volume/kanalog.db" };
  const words = [
    ...["run", "--volume", `${machine.path("volume")}:/volume`],
    ...Object.entries(settings).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...[container, "--"],
  ];
  const child = Bun.spawn(["buildah", ...words, "kanalog", command], {
    ...{ env: ENVIRONMENT, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    void (async () => {
      for await (const chunk of stream) printed += Buffer.from(chunk).toString();
    })();
  }
  return {
    printed: () => printed,
    hasEnded: () => child.exitCode !== null,
    run: (...more) => buildah(...words, ...more),
    stop() {
      for (const pid of running()) process.kill(pid, "SIGTERM");
      return child.exited;
    },
  };
}

/** Processes of the program itself, and not those of buildah around it. */
function running(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const [program = "", command = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split(
          "\0",
        );
        return program === "/usr/local/bin/kanalog" && ["start", "serve"].includes(command);
      } catch {
        return false;
      }
    });
}

const card = (key: string): Promise<number> =>
  fetch(`http://127.0.0.1:${PORT}/v1/msgr/channels/1/`, {
    headers: { authorization: `Bearer ${key}` },
  }).then(
    ({ status }) => status,
    () => 0,
  );

test.skipIf(!CAN)(
  "the image runs as the user it names, and the next one on the same volume upgrades it",
  async () => {
    haveBases();
    build("kanalog-test", ROOT);
    nextProgram(machine);
    for (const name of ["bun.lock", ".npmrc"])
      cpSync(join(ROOT, name), machine.path(`next/${name}`));
    build("kanalog-test:next", machine.path("next"));
    run("mkdir", machine.path("volume"));
    run("chown", `${USER}:${USER}`, machine.path("volume"));

    const first = start("kanalog-test", "start");
    await until(
      () => first.printed().includes("curl") || first.hasEnded(),
      () => first.printed(),
    );
    const key = /knl_rw_\w+/.exec(first.printed())?.[0] ?? "";
    expect(await card(key)).toBe(200);
    expect(first.run("id", "-u")).toBe(String(USER));
    expect(first.run("kanalog", "--version")).toBe(version);
    expect(first.run("kanalog", "health")).toContain("Ready");
    expect(await first.stop()).toBe(0);

    const next = start("kanalog-test:next", "serve");
    await until(
      async () => (await card(key)) === 200 || next.hasEnded(),
      () => next.printed(),
    );
    expect(await next.stop()).toBe(0);
    const copies = readdirSync(machine.path("volume")).filter((name) =>
      name.includes("before-schema"),
    );
    expect(copies).toHaveLength(1);
  },
  900_000,
);
