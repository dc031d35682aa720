import { copyFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { createMachine, type Machine } from "../../support/machine.ts";
import { elapsed, pushing } from "../../support/webhook-journey.ts";
import { type Child, startChild } from "./child.ts";
import type { Data } from "./data.ts";
import type { LoadSpec, Outcomes } from "./load.ts";
import type { Received } from "./receiver.ts";
import type { Row, Stage } from "./row.ts";

/** Machines of stages that have not ended. */
const open = new Set<Machine>();

/** Ends all processes of stages, after an interruption. */
export async function endStages(): Promise<void> {
  for (const machine of open) await machine.leave();
}

/** Starts an appliance on a copy of the data, runs the work, and removes everything. */
export async function onStage<Result>(
  data: Data,
  row: Row,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const machine = createMachine();
  open.add(machine);
  const children: Child<unknown>[] = [];
  try {
    for (const name of readdirSync(data.machine.folder)) {
      if (!name.startsWith(basename(data.machine.database))) continue;
      copyFileSync(join(data.machine.folder, name), machine.path(name));
    }
    const serving = await machine.serve(["serve"], pushing(row.environment));
    const { address } = serving;
    const child = <Answer>(script: string, spec: object): Child<Answer> => {
      const made = startChild<Answer>(script, { address, ...spec });
      children.push(made);
      return made;
    };
    const receiver = child<Received>("receiver.ts", {});
    const { port } = await receiver.end();
    const stage: Stage = {
      ...{ data, machine, serving, child },
      receiver: `127.0.0.1:${port}`,
      async received() {
        const { events } = await receiver.end();
        receiver.begin();
        return events;
      },
      async load(spec, seconds) {
        const loading = child<Outcomes>("load.ts", spec satisfies Omit<LoadSpec, "address">);
        loading.begin();
        await elapsed(seconds * 1000);
        const outcomes = await loading.end();
        await loading.leave();
        return outcomes;
      },
    };
    return await work(stage);
  } finally {
    for (const child of children) await child.leave();
    await machine.leave();
    open.delete(machine);
  }
}
