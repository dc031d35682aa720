import type { AuditAction } from "../../../customers/audit/audit-log.ts";
import { AppError, type FieldFaults, fieldError } from "../../../errors.ts";
import type { FileAnswer } from "../../../verbs/method.ts";
import type { Resource, Row, Use, Verb } from "../../../verbs/operator/resource.ts";
import { informed } from "../../../verbs/operator/resource.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { readArguments } from "../../../verbs/read-arguments.ts";
import { addressedId } from "../pages/staff/console.tsx";
import type { SiteContext } from "../site-context.ts";
import { currentActor } from "../visit/viewer.ts";
import { type Form, redirect, useSite, useVisit, type View, type Visit } from "../visit/visit.ts";

interface Ends<Result> {
  /** The answer once it is done; by default the page again, with what the audit log says of it. */
  shows?(made: Result): View | Promise<View>;
  /** The object that it concerns; by default the one in the page's address. */
  of?(): Promise<number | string> | number | string;
  /** Arguments that the page gives, not its form. */
  given?(): Record<string, unknown>;
}

export function verbOf(resource: Resource, name: string): Verb {
  const found = resource.verbs.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${resource.name} has no verb ${name}`);
  return found;
}

/** The visitor's use of a verb. */
export function useOf(
  more: Partial<Pick<Use<unknown>, "id" | "part" | "file">> = {},
): Use<unknown> {
  return {
    services: useSite(),
    by: currentActor(),
    nowMs: useVisit().nowMs,
    id: null,
    file: null,
    part: { after: null, limit: 0 },
    note() {},
    // The page makes the address, or mails it.
    linkTo: (token) => token,
    ...more,
  };
}

/** The action of a form that uses a verb: its fields are the verb's arguments. */
export function verbAction<Result extends Row | FileAnswer = Row>(
  resource: Resource,
  name: string,
  ends: Ends<Result> = {},
) {
  const verb = verbOf(resource, name);
  const recorded = `${resource.name.replace(" ", "-")}.${name}` as AuditAction;
  const { shows = () => backWith(recorded), of = addressedId, given = () => ({}) } = ends;
  return async (_visit: Visit, _context: SiteContext): Promise<View> => {
    const id = verb.on === "one" ? await of() : null;
    const args = await formArguments(verb, { given: given() });
    return shows((await verb.run(args, useOf({ id }))) as Result);
  };
}

/** Returns to the page, as it was filtered, with a sentence about what was done. */
export function backWith(done: AuditAction): View {
  const { path, query } = useVisit();
  const shown = new URLSearchParams(query);
  shown.set("done", done);
  return redirect(`${path.split("?")[0]}?${shown}`);
}

/**
 * The arguments of a verb as the form has them.
 * @param more.given arguments that the form does not have
 * @param more.faults what else is wrong with the form, reported with the rest
 * @throws AppError `invalid`
 */
export async function formArguments(
  verb: Verb,
  { given = {}, faults = {} }: { given?: Record<string, unknown>; faults?: FieldFaults } = {},
): Promise<Record<string, unknown>> {
  const args = Object.entries<Parameter<unknown>>(await informed(verb.args, useSite()));
  const parameters = args.map(([name, parameter]) => [name, { ...parameter, in: "body" }] as const);
  const typed = { ...typedIn(useVisit().form, args), ...given };
  try {
    const read = readArguments({ parameters: Object.fromEntries(parameters) }, {}, typed);
    if (Object.keys(faults).length === 0) return read;
  } catch (error) {
    if (!(error instanceof AppError) || error.faults === undefined) throw error;
    throw fieldError({ ...error.faults, ...faults });
  }
  throw fieldError(faults);
}

/** Typed texts by the names of the arguments. */
function typedIn(form: Form, args: readonly (readonly [string, Parameter<unknown>])[]) {
  const typed = args.map(([name, parameter]) => {
    if (parameter.schema["type"] === "boolean") return [name, form.isChecked(name)] as const;
    const text = form.get(name).trim();
    return [name, text === "" && !saysNone(parameter) ? undefined : text] as const;
  });
  return Object.fromEntries(typed.filter(([, value]) => value !== undefined));
}

/** Whether an emptied field says that there is none; otherwise it is not given. */
function saysNone({ required, default: fallback, read }: Parameter<unknown>): boolean {
  return !required && fallback === undefined && "value" in read("");
}
