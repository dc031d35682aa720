import { spawnSync } from "node:child_process";
import { connect, createServer } from "node:net";

/** A network namespace, like a machine of its own, connected to this one by two links. */
export interface Namespace {
  /** Words before a command that run it in the namespace. */
  within: string[];
  /** Its address for clients; that link is never cut. */
  address: string;
  /** This machine's address on the other link, by which it reaches PostgreSQL. */
  gateway: string;
  /** Forwards a port of the gateway to the same port of this machine. */
  lead(port: number): Promise<void>;
  /** Silently loses everything sent on the link to the gateway, like a broken cable. */
  cut(): void;
  mend(): void;
  remove(): void;
}

function run(...words: string[]): void {
  const { status, stderr } = spawnSync("ip", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${words.join(" ")}: ${stderr}`);
}

/** What this machine lacks to create namespaces, in words; null for nothing. */
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
      // This removes both ends of both links.
      run("netns", "delete", name);
    },
  };
}
