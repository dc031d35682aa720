import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  type CatalogOrdering,
  type CatalogSelection,
  NO_FILTER,
} from "../../../src/catalog/search/catalog.ts";
import { createSearch } from "../../../src/catalog/search/search.ts";
import { selectCatalog } from "../../../src/catalog/search/select-catalog.ts";
import { type Database, statement } from "../../../src/db/database.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { startAppliance } from "../../support/appliance.ts";
import { imported } from "../../support/expectations.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

let machine: Machine;
let writer: Database;
let db: Database;
let found: number;

beforeEach(async () => {
  machine = createMachine();
  const appliance = await startAppliance();
  await imported(
    appliance,
    "channels",
    [3, 2, 1].map((id) => ({ id, title: `Channel ${id}`, subscribers: id, quality: id })),
  );
  appliance.app.domains.db.copyTo(machine.database);
  await appliance.close();
  writer = openDatabase(machine.database, systemClock, "writer");
  db = openDatabase(machine.database, systemClock, "counter");
  found = 0;
});
afterEach(() => {
  writer.close();
  db.close();
  return machine.leave();
});

const ORDERINGS: CatalogOrdering[] = ["-subscribers", "-quality", "-citation", "-last_post_at"];

/** The search of a serving process, on a file that another process writes. */
function createPages() {
  const reader = async (selection: CatalogSelection) => {
    found += 1;
    return selectCatalog(db, selection);
  };
  const unused = () => Promise.reject(new Error("unused"));
  const readers = {
    selectCatalog: reader,
    countCatalog: unused,
    placeInCategory: unused,
    describeSelection: unused,
  };
  const search = createSearch(db, readers);
  return async (ordering: CatalogOrdering): Promise<number[]> => {
    const page = await search.page({ filter: NO_FILTER, ordering, after: null, limit: 2 });
    return (JSON.parse(String(page.results)) as { id: number }[]).map(({ id }) => id);
  };
}

test("a first page of the whole catalog has every change of a channel, whoever commits it", async () => {
  const pages = createPages();
  const all = async () => Promise.all(ORDERINGS.map(pages));
  expect(await all()).toEqual([
    [3, 2],
    [3, 2],
    [1, 2],
    [1, 2],
  ]);
  const changes: [sql: string, expected: number[][]][] = [
    [
      "UPDATE channels SET subscribers = 9 WHERE id = 1",
      [
        [1, 3],
        [3, 2],
        [1, 2],
        [1, 2],
      ],
    ],
    [
      "UPDATE channels SET last_post_at = 1e12 WHERE id = 3",
      [
        [1, 3],
        [3, 2],
        [1, 2],
        [3, 1],
      ],
    ],
    [
      "DELETE FROM public_cards WHERE id = 1; UPDATE channels SET is_public = 0 WHERE id = 1",
      [
        [3, 2],
        [3, 2],
        [2, 3],
        [3, 2],
      ],
    ],
  ];
  for (const [sql, expected] of changes) {
    writer.exec(sql);
    expect(await all()).toEqual(expected);
    expect(await all()).toEqual(expected);
  }
});

test("a first page of the whole catalog is found once until a channel changes", async () => {
  const pages = createPages();
  await pages("-last_post_at");
  statement(writer, "UPDATE cards_version SET version = version").run();
  await pages("-last_post_at");
  expect(found).toBe(1);
  statement(writer, "UPDATE channels SET subscribers = 9 WHERE id = 1").run();
  await pages("-last_post_at");
  expect(found).toBe(2);
});
