import { spawnSync } from "node:child_process";
import { connect, createServer } from "node:net";

/** A machine of its own as far as its network goes, joined to this one by two lines. */
export interface Namespace {
  /** Words before a command, which run it in there. */
  within: string[];
  /** Its own address, by which clients reach it; that line is never cut. */
  address: string;
  /** This machine's address on the other line, by which it reaches PostgreSQL. */
  gateway: string;
  /** Has a port of the gateway lead to the same port of this machine. */
  lead(port: number): Promise<void>;
  /** What is sent on the line to the gateway is lost without a word, as by a broken cable. */
  cut(): void;
  mend(): void;
  remove(): void;
}

function run(...words: string[]): void {
  const { status, stderr } = spawnSync("ip", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${words.join(" ")}: ${stderr}`);
}

/** What this machine lacks to make namespaces, in words; null where it has all. */
export function missingForNamespaces(): string | null {
  if (process.getuid?.() !== 0) return "the right to make network namespaces (root)";
  const name = `kanalog-${process.pid}-try`;
  const made = spawnSync("ip", ["netns", "add", name]);
  if (made.error !== undefined) return "ip (Debian: iproute2)";
  if (made.status !== 0) return "the right to make network namespaces";
  spawnSync("ip", ["netns", "delete", name]);
  return null;
}

export function makeNamespace(): Namespace {
  const name = `kanalog-${process.pid}`;
  const within = ["ip", "netns", "exec", name];
  const net = `10.213.${process.pid % 256}`;
  const [clients, postgres] = [`kc${process.pid}`, `kp${process.pid}`];
  const servers: ReturnType<typeof createServer>[] = [];
  run("netns", "add", name);
  run("-n", name, "link", "set", "lo", "up");
  for (const [line, at] of [
    [clients, 0],
    [postgres, 4],
  ] as const) {
    run("link", "add", line, "type", "veth", "peer", "name", `${line}n`, "netns", name);
    run("addr", "add", `${net}.${at + 1}/30`, "dev", line);
    run("link", "set", line, "up");
    run("-n", name, "addr", "add", `${net}.${at + 2}/30`, "dev", `${line}n`);
    run("-n", name, "link", "set", `${line}n`, "up");
  }
  const gateway = `${net}.5`;
  return {
    ...{ within, address: `${net}.2`, gateway },

    async lead(port) {
      const server = createServer((from) => {
        const to = connect(port, "127.0.0.1");
        from.pipe(to).pipe(from);
        for (const socket of [from, to]) {
          socket.on("error", () => {
            from.destroy();
            to.destroy();
          });
        }
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(port, gateway, resolve));
    },

    cut: () => run("link", "set", postgres, "down"),
    mend: () => run("link", "set", postgres, "up"),

    remove() {
      for (const server of servers) server.close();
      // Its ends of the lines go with it, and this machine's with them.
      run("netns", "delete", name);
    },
  };
}
