import {
  flagSchema,
  listSchema,
  nullable,
  objectSchema,
  textSchema,
} from "../../../values/schema.ts";
import { FileAnswer } from "../../method.ts";
import { type OperatorServices, resource, verb } from "../resource.ts";

/** Readiness and metrics, as the serving processes report them; `kanalog health` asks from a terminal. */

const found = (description: string) =>
  listSchema(
    objectSchema({
      name: textSchema(),
      problem: nullable(textSchema({ description: "Null: it is all right" })),
    }),
    { description },
  );

const readinessSchema = objectSchema(
  {
    is_ready: flagSchema({ description: "Whether no check has found a problem" }),
    checks: found("As `/readyz` has them: with a problem, requests may fail"),
    warnings: found("What somebody should look at"),
  },
  "Readiness",
);

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A resource of one object, which needs no name. */
const shown = { name: "show", on: "none", isRead: true, isForPrograms: true } as const;

export const readiness = resource({
  name: "readiness",
  area: "system",
  path: "readiness",
  title: "whether the appliance is ready",
  schema: readinessSchema,
  verbs: [
    verb({
      ...shown,
      title: "show whether all processes are ready, and what is wrong",
      async run(_args, { services }) {
        const { checks, warnings } = await running(services).ready();
        const rows = (of: typeof checks) => of.map(([name, problem]) => ({ name, problem }));
        return {
          is_ready: checks.every(([, fault]) => fault === null),
          checks: rows(checks),
          warnings: rows(warnings),
        };
      },
    }),
  ],
});

export const metrics = resource({
  name: "metrics",
  area: "system",
  path: "metrics",
  title: "metrics, as `/metrics` has them",
  schema: textSchema({ description: "Metrics in Prometheus's text format" }),
  verbs: [
    verb({
      ...shown,
      title: "download the metrics of all processes in Prometheus's text format",
      fileTypes: [METRICS_TYPE],
      async run(_args, { services }) {
        const text = await running(services).metrics();
        return new FileAnswer(METRICS_TYPE, {}, { parts: whole(text), close() {} });
      },
    }),
  ],
});

async function* whole(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text);
}

function running({ running: found }: OperatorServices) {
  if (found === null) throw new Error("a command serves nothing");
  return found;
}
