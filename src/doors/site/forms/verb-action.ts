import type { AuditAction } from "../../../customers/audit/audit-log.ts";
import type { Resource, Row } from "../../../verbs/operator/resource.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { readArguments } from "../../../verbs/read-arguments.ts";
import { addressedId } from "../pages/staff/console.tsx";
import type { SiteContext } from "../site-context.ts";
import { useVisit } from "../visit/use-visit.ts";
import { redirect, type View } from "../visit/view.ts";
import { currentActor } from "../visit/viewer.ts";
import type { Form, Visit } from "../visit/visit.ts";

interface Ends {
  /** The answer once it is done; by default the page again, with what the audit log says of it. */
  shows?(row: Row): View | Promise<View>;
  /** The object that it concerns; by default the one in the page's address. */
  of?(): Promise<number | string> | number | string;
}

/** The action of a form that uses a verb: its fields are the verb's arguments. */
export function verbAction(resource: Resource, name: string, ends: Ends = {}) {
  const verb = resource.verbs.find((one) => one.name === name);
  if (verb === undefined) throw new Error(`${resource.name} has no verb ${name}`);
  const recorded = `${resource.name.replace(" ", "-")}.${name}` as AuditAction;
  const { shows = () => backWith(recorded), of = addressedId } = ends;
  return async (visit: Visit, context: SiteContext): Promise<View> => {
    const id = verb.on === "one" ? await of() : null;
    const args = readArguments({ parameters: verb.args }, typedIn(visit.form, verb.args), {});
    const row = await verb.run(args, {
      services: context.operator,
      by: currentActor(),
      nowMs: visit.nowMs,
      id,
      file: null,
      part: { after: null, limit: 0 },
      note() {},
      // The page makes the address, or mails it.
      linkTo: (token) => token,
    });
    return shows(row as Row);
  };
}

/** Returns to the page, as it was filtered, with a sentence about what was done. */
export function backWith(done: AuditAction): View {
  const { path, query } = useVisit();
  const shown = new URLSearchParams(query);
  shown.set("done", done);
  return redirect(`${path.split("?")[0]}?${shown}`);
}

/** Typed texts by the names of the arguments; fields left empty are not given. */
function typedIn(form: Form, args: Readonly<Record<string, Parameter<unknown>>>) {
  return Object.fromEntries(
    Object.entries(args).map(([name, { schema }]) => {
      const given = schema["type"] === "boolean" ? form.isChecked(name) : form.get(name).trim();
      return [name, given === "" ? undefined : given];
    }),
  );
}
