/**
 * Rate and processor time of public pages that are answered from memory, and of bare Elysia that answers with
 * the same bytes: `bun test/bench/public-pages.ts [rounds]`, in turns, with wrk. Each request comes from one of
 * 1,000 addresses, because a single one is soon told to wait. Linux only.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Elysia } from "elysia";
import { createMachine } from "../support/machine.ts";
import { processorMs } from "../support/processor-time.ts";
import { endAll, run, startServer } from "./peers/processes.ts";
import { median } from "./peers/statistics.ts";

/** Target: the rate of a page from memory, as a part of that of the constant answer. A badge has none. */
const RATE_MIN = 0.5;
const CONNECTIONS = 16;
const TURN_S = 2;
const SCRIPT = `
local at = 0
function request()
  at = (at + 1) % 1000
  local address = "198.18." .. math.floor(at / 250) .. "." .. at % 250
  return wrk.format("GET", nil, { ["x-forwarded-for"] = address })
end
function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format('{"answers":%d,"failed":%d,"seconds":%f}', summary.requests, failed, summary.duration / 1e6))
end
`;

const [first = "5", file = "", port = "0"] = process.argv.slice(2);
if (first === "constant") {
  const bytes = new Uint8Array(readFileSync(file));
  const headers = { "content-type": "text/html; charset=utf-8" };
  new Elysia().get("/c/:handle/", () => new Response(bytes, { headers })).listen(Number(port));
} else await compare(Number(first));

interface Figures {
  perSecond: number;
  processorUs: number;
}

async function compare(rounds: number): Promise<void> {
  const machine = createMachine();
  try {
    const environment = { KANALOG_PUBLIC: "charts", KANALOG_TRUST_PROXY: "true" };
    const serving = await machine.serve(["start"], { environment });
    const script = machine.write("addresses.lua", SCRIPT);
    let isReached = true;
    for (const path of ["/c/", "/c/nsmag/", "/c/nsmag/badge.svg"]) {
      const page = machine.path("page");
      writeFileSync(page, await (await serving.get(path)).bytes());
      const constant = await startServer(
        (port) => [process.execPath, import.meta.path, "constant", page, String(port)],
        "/c/any/",
      );
      const all: { kept: Figures; constant: Figures }[] = [];
      for (let round = 0; round <= rounds; round++) {
        const kept = await measure(serving.address + path, serving.pid, script);
        const other = await measure(`${constant.address}/c/any/`, constant.pid, script);
        // The first warms up.
        if (round > 0) all.push({ kept, constant: other });
      }
      await constant.stop();
      const ofAll = (which: "kept" | "constant", figure: keyof Figures) =>
        Math.round(median(all.map((one) => one[which][figure])) * 10) / 10;
      const rate = median(all.map(({ kept, constant }) => kept.perSecond / constant.perSecond));
      const cost = median(all.map(({ kept, constant }) => constant.processorUs / kept.processorUs));
      console.info(
        `${path} (${readFileSync(page).length} bytes): ${ofAll("kept", "perSecond")} a second, ` +
          `${ofAll("kept", "processorUs")} us; constant ${ofAll("constant", "perSecond")}, ` +
          `${ofAll("constant", "processorUs")} us; rate ${rate.toFixed(2)}, by processor time ${cost.toFixed(2)}`,
      );
      isReached &&= rate >= RATE_MIN || path.endsWith(".svg");
    }
    await serving.stop();
    if (!isReached) process.exitCode = 1;
  } finally {
    await endAll();
    await machine.leave();
  }
}

async function measure(url: string, pid: number, script: string): Promise<Figures> {
  const before = processorMs(pid);
  const words = ["wrk", "-t1", `-c${CONNECTIONS}`, `-d${TURN_S}s`, "-s", script, url];
  const line = (await run(words)).split("\n").find((text) => text.startsWith("{")) ?? "{}";
  const { answers, failed, seconds } = JSON.parse(line) as Record<string, number>;
  if (!answers || failed) throw new Error(`${url}: ${line}`);
  return {
    perSecond: answers / (seconds ?? 0),
    processorUs: ((processorMs(pid) - before) * 1000) / answers,
  };
}
