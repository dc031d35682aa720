import { expect } from "bun:test";
import type { ImportKindName } from "../../src/catalog/imports/kinds/import-kinds.ts";
import type { Fields } from "../../src/catalog/imports/reading/recognized.ts";
import type { Answer, Appliance } from "./appliance.ts";

/** Imports rows, and expects none to be rejected. */
export async function imported(
  appliance: Appliance,
  kind: ImportKindName,
  rows: Fields[],
): Promise<void> {
  const { rejects } = await appliance.importRows(kind, rows);
  expect(rejects).toEqual([]);
}

/** A channel's row with the required columns. */
export function channel(id: number, more: Fields = {}): Fields {
  return { id, title: `Channel ${id}`, subscribers: 1000, ...more };
}

/** Optional fields of a post, which are null if unknown. */
export const NOT_GIVEN = {
  ...{ msgr_post_id: null, edited_at: null, views_at: null, media: null, album: null },
  ...{ forwards: null, reactions: null, comments: null },
  ...{ forwarded_from: null, forwarded_from_name: null, links: null },
  ...{ views_1h: null, views_12h: null, views_24h: null, views_48h: null },
};

export async function expectOk(appliance: Appliance, path: string, key?: string): Promise<Answer> {
  const answer = await appliance.get(path, key);
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200);
  return answer;
}

export function idsOf({ body }: Answer): number[] {
  return body.results.map(({ id }: { id: number }) => id);
}

/** Expects the list at a path to have exactly these items, in this order. */
export async function expectIds(appliance: Appliance, path: string, ids: number[]): Promise<void> {
  expect(idsOf(await expectOk(appliance, path)), path).toEqual(ids);
}

/** Expects a request to be answered with 400 and exactly these messages by field. */
export async function expectFaults(
  appliance: Appliance,
  path: string,
  faults: Record<string, string>,
  key?: string,
): Promise<void> {
  const answer = await appliance.get(path, key);
  const body = Object.fromEntries(
    Object.entries(faults).map(([name, message]) => [name, [message]]),
  );
  expect(answer.body, path).toEqual(body);
  expect(answer.status, path).toBe(400);
}

/** Expects a request to be refused with a status and code. */
export async function expectRefusal(
  appliance: Appliance,
  path: string,
  status: number,
  code: string,
  key?: string,
): Promise<void> {
  const answer = await appliance.get(path, key);
  expect(answer.body, path).toEqual({ code, detail: expect.any(String) });
  expect(answer.status, path).toBe(status);
}

/** Path and query of an absolute `next`. */
export function pathOfNext(next: string): string {
  const { pathname, search } = new URL(next);
  return pathname + search;
}

/**
 * Ids in each page, starting from a path.
 * @param between called before each page except the first
 */
export async function pagesOf(
  appliance: Appliance,
  path: string,
  between: () => Promise<void> = async () => {},
): Promise<number[][]> {
  const pages: number[][] = [];
  for (let at: string | null = path; at !== null; ) {
    if (pages.length > 0) await between();
    const answer = await expectOk(appliance, at);
    pages.push(idsOf(answer));
    expect(pages.length, `${path} has no end`).toBeLessThan(10_000);
    at = answer.body.next === null ? null : pathOfNext(answer.body.next);
  }
  return pages;
}
