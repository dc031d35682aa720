import { openDatabase } from "../../../src/db/open-database.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import type { Figure } from "./figures.ts";
import type { Options } from "./options.ts";
import type { Work } from "./requests.ts";
import { allWorks } from "./works.ts";

/** What each part of a run gets. */
export interface Run {
  options: Options;
  /** The database of the measured size. */
  database: string;
  works: readonly Work[];
  report(message: string): void;
}

export type Part = (run: Run) => Promise<Figure[]>;

/** Draws the works from a database, the same ones in every run. */
export function drawWorks(database: string): Work[] {
  const db = openDatabase(database, systemClock, "reader");
  try {
    return allWorks(db);
  } finally {
    db.close();
  }
}

export function workNamed(works: readonly Work[], name: string): Work {
  const found = works.find((work) => work.name === name);
  if (found === undefined) throw new Error(`there is no work ${name}`);
  return found;
}
