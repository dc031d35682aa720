import {
  type Check,
  check,
  differs,
  each,
  type Fault,
  fieldError,
  type Json,
  type Kit,
  objectsIn,
  refusal,
  statusOf,
} from "../check.ts";
import type { ClauseId } from "../clauses.ts";
import type { Answer } from "../client.ts";
import { listed, look } from "../sight.ts";

/** Laws of GETs, each of which makes a check of an address with braces to be filled. */

/** What is refused: a 400 names its field, any other status its code. */
export const refused = (clause: ClauseId, path: string, status: number, name: string): Check =>
  check(clause, `${path} is ${status} ${name}`, async (kit) => {
    const answer = await look(kit, path);
    return status === 400 ? fieldError(answer, name) : refusal(answer, status, name);
  });

export const taken = (clause: ClauseId, path: string): Check =>
  check(clause, `${path} is taken`, async (kit) => statusOf(await look(kit, path), 200));

/** What of an answer is compared. */
type Part = (body: Json) => unknown;
export const results: Part = (body) => body["results"];
export const numbersOf = (body: Json): unknown[] => objectsIn(body["results"]).map(({ id }) => id);

/** Two addresses that answer the same. */
export const same = (
  clause: ClauseId,
  path: string,
  other: string,
  part: Part = (body) => body,
): Check =>
  check(clause, `${path} answers what ${other} answers`, async (kit) => {
    const [answer, expected] = [await look(kit, path), await look(kit, other)];
    return statusOf(answer, 200) ?? differs("the answer", part(answer.body), part(expected.body));
  });

/** What holds for every item of a list. */
export const every = (
  clause: ClauseId,
  path: string,
  title: string,
  faultOf: (item: Json, items: readonly Json[], kit: Kit) => Fault,
): Check =>
  check(clause, `${path}: ${title}`, async (kit) => {
    const items = await listed(kit, path);
    return each(items, (item) => faultOf(item, items, kit));
  });

/** What holds for an answer. */
export const answer = (
  clause: ClauseId,
  path: string,
  title: string,
  faultOf: (answer: Answer, kit: Kit) => Fault,
): Check => check(clause, `${path}: ${title}`, async (kit) => faultOf(await look(kit, path), kit));
