import type { Page } from "../../values/json-text.ts";
import { shownPage } from "../../values/rows.ts";
import { continueList, filtersOf, positionAfter } from "../continue-list.ts";
import type { Cursors } from "../cursor.ts";
import { FileAnswer } from "../method.ts";
import { onlyFields } from "../parameters.ts";
import { type RawArguments, readArguments } from "../read-arguments.ts";
import type { Endpoint } from "./endpoint.ts";
import { positionOf, type Row, type Use } from "./resource.ts";

interface Sent {
  raw: RawArguments;
  body: unknown;
  cursors: Cursors;
  pageUrl(query: URLSearchParams): string;
}

/**
 * Runs a verb for a request of the operator's API.
 * @returns the row, a page of rows, or a file
 * @throws AppError those of arguments, cursors and the verb
 */
export async function runEndpoint(
  endpoint: Endpoint,
  { raw, body, cursors, pageUrl }: Sent,
  use: Omit<Use, "id" | "part">,
): Promise<unknown> {
  const list = continueList(endpoint, raw, cursors);
  // A cursor carries required arguments, so if it is unreadable, only the cursor is reported.
  const args = readArguments(endpoint, list.raw, body, { mayMiss: list.fault !== null });
  if (list.fault !== null) throw list.fault;
  const { does, operationId } = endpoint;
  const id = args["id"] as number;
  const fields = args["fields"] as string[] | undefined;
  const narrowed = (answer: unknown) =>
    fields === undefined || answer instanceof FileAnswer ? answer : onlyFields(answer, fields);
  if (does.rows === undefined) {
    return narrowed(await does.run(args, { ...use, id, part: { after: null, limit: 0 } }));
  }
  const fixed: Record<string, string> = does.on === "one" ? { of: String(id) } : {};
  const after = positionAfter(list, fixed);
  const limit = args["limit"] as number;
  // One more than the page holds, to see whether another page follows.
  const rows = (await does.run(args, { ...use, id, part: { after, limit: limit + 1 } })) as Row[];
  const { shown: results, last } = shownPage(rows, limit);
  const of = { ...filtersOf(endpoint, list.raw), ...fixed };
  const next =
    last === null
      ? null
      : pageUrl(
          new URLSearchParams({
            ...filtersOf(endpoint, list.raw),
            cursor: cursors.write(operationId, { at: positionOf(last, does.rows), of }),
          }),
        );
  return narrowed({ results, next } satisfies Page<Row>);
}
