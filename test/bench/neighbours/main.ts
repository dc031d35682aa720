/** What one caller costs the others: `bun run bench:neighbours -- --help`. */
import { endAll } from "../peers/processes.ts";
import { type Data, makeData } from "./data.ts";
import { type Measured, measure } from "./measure.ts";
import { HELP, type Options, readOptions, WrongUsage } from "./options.ts";
import { verdictOf } from "./promise.ts";
import type { Row, Size } from "./row.ts";
import { endStages } from "./stage.ts";
import { line, table } from "./table.ts";

const PEOPLE = 20;
const EXIT_INTERRUPTED = 130;

const startedAt = performance.now();
/** Databases by size, each created when a row first needs it. */
const made = new Map<Size, Promise<Data>>();

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    await leave();
    process.exit(EXIT_INTERRUPTED);
  });
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") console.log(HELP);
  else await bench(options);
} catch (error) {
  console.error(
    error instanceof Error && !(error instanceof WrongUsage) ? error.stack : `${error}`,
  );
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
} finally {
  await leave();
}

async function bench({ rows, channels, durations }: Options): Promise<void> {
  const measured: Measured[] = [];
  for (const row of rows) {
    const size = row.size ?? "usual";
    const data = made.get(size) ?? makeData(channels[size], PEOPLE);
    made.set(size, data);
    const last = await measure(await data, row, durations).catch((error) => failed(row, error));
    measured.push(last);
    report(line(last));
  }
  const broken = measured.filter((row) => verdictOf(row).broken.length > 0).length;
  console.log(
    `${table(measured)}\n\nThe promise is broken by ${broken} of ${measured.length} rows.`,
  );
  if (broken > 0) process.exitCode = 1;
}

/** A row that could not be measured; the following ones are measured nevertheless. */
function failed({ name, does }: Row, { message }: Error): Measured {
  return { name, does, rounds: [], notes: [], broken: [`not measured: ${message}`] };
}

async function leave(): Promise<void> {
  await endAll();
  await endStages();
  for (const data of made.values())
    await data.then(
      ({ machine }) => machine.leave(),
      () => {},
    );
}

function report(message: string): void {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${message}`);
}
