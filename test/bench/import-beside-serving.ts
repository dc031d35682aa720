/**
 * Response times while another process imports 100,000 rows of statistics:
 * `bun test/bench/import-beside-serving.ts [rows]`. Prints the figures before and during the import.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatDay } from "../../src/values/moscow-time.ts";

const ROWS = Number(process.argv[2] ?? 100_000);
const CHANNELS = 2_000;
const QUIET_MS = 3_000;

const root = new URL("../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "kanalog-bench-"));
const env = { ...process.env, KANALOG_DB: join(folder, "bench.db"), KANALOG_PORT: "0" };
const command = [process.execPath, join(root, "src/main.ts")];

async function run(...words: string[]): Promise<string> {
  const child = Bun.spawn([...command, ...words], { env, stdout: "pipe", stderr: "inherit" });
  const out = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")} failed`);
  return out;
}

function writeRows(): { channels: string; stats: string } {
  const channels = join(folder, "channels.csv");
  const stats = join(folder, "stats.csv");
  const ids = Array.from({ length: CHANNELS }, (_, index) => index + 1);
  writeFileSync(
    channels,
    ["id,title,subscribers", ...ids.map((id) => `${id},Канал ${id},${id * 7}`)].join("\n"),
  );
  const lines = ["channel,day,subscribers,views,posts"];
  for (let day = 20_000; lines.length <= ROWS; day++) {
    for (const id of ids) lines.push(`${id},${formatDay(day)},${id * 7},${id},3`);
  }
  writeFileSync(stats, lines.slice(0, ROWS + 1).join("\n"));
  return { channels, stats };
}

async function measure(base: string, key: string, until: Promise<unknown>): Promise<number[]> {
  let over = false;
  void until.then(() => {
    over = true;
  });
  const durations: number[] = [];
  for (let n = 0; !over; n++) {
    const id = (n * 37) % CHANNELS;
    const path = ["channels/", `channels/${id + 1}/`, `stats/daily/?channels=${id + 1}`][n % 3];
    const startedAt = performance.now();
    const response = await fetch(`${base}/v1/msgr/${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    durations.push(performance.now() - startedAt);
  }
  return durations.sort((a, b) => a - b);
}

function describe(name: string, durations: number[]): string {
  const at = (share: number): string =>
    (durations[Math.floor((durations.length - 1) * share)] ?? 0).toFixed(1);
  return `${name}: ${durations.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}

let server: Bun.Subprocess<"ignore", "inherit", "pipe"> | null = null;
try {
  const { channels, stats } = writeRows();
  await run("import", "channels", channels);
  await run("org", "create", "--name", "Bench", "--plan", "profi");
  await run("member", "add", "1", "--email", "bench@example.com", "--role", "owner");
  await run("plan", "set", "profi", "--rate", "1000000");
  const { key } = JSON.parse(await run("key", "create", "--member", "1", "--json"));
  server = Bun.spawn([...command, "serve"], { env, stderr: "pipe" });
  const { value } = await server.stderr.getReader().read();
  const base = /http:\/\/[\d.:]+/.exec(new TextDecoder().decode(value))?.[0];
  if (base === undefined) throw new Error("the server did not start");

  console.log(describe("quiet", await measure(base, key, Bun.sleep(QUIET_MS))));
  const importing = run("import", "stats", stats, "--json");
  console.log(describe("beside an import", await measure(base, key, importing)));
  console.log(`import: ${(await importing).trim()}`);
} finally {
  server?.kill();
  await server?.exited;
  rmSync(folder, { recursive: true });
}
