import type { Database } from "../../../../db/database.ts";
import { unknownSlug } from "../../../../values/fields.ts";
import { message } from "../../../../values/messages/messages.ts";
import { territoriesInUse } from "../../../channels/channels.store.ts";
import { createDirectoryStore } from "../../../directory/directory.store.ts";
import type { Territory, TerritoryKind } from "../../../directory/directory.table.ts";
import { TERRITORY_KINDS } from "../../../directory/directory.table.ts";
import { inTreeOrder, mayContain } from "../../../directory/directory.ts";
import { recount, refreshFacets } from "../../../directory/recount.ts";
import { choiceColumn, lineColumn, nullable, slugColumn } from "../../../fields/columns.ts";
import type { Given, ImportContext, ImportKind } from "../import-kind.ts";
import { isSame, RowFault } from "../import-kind.ts";
import { directoryRows, idColumn, inFileOrder, nextId, requireFreeId } from "./directory-rows.ts";

interface TerritoryRow {
  id: number;
  slug: string;
  name: string;
  kind: TerritoryKind;
  parent: string;
}

/** Territories are identified by `slug`; parents come before their children. */
export const territoriesImport: ImportKind<TerritoryRow> = {
  columns: {
    id: idColumn(),
    slug: slugColumn(),
    name: lineColumn(200),
    kind: choiceColumn(TERRITORY_KINDS),
    parent: nullable(slugColumn()),
  },
  isDirectory: true,
  open(db: Database, context: ImportContext) {
    const store = createDirectoryStore(db);
    const before = new Map(store.territories().map((entry) => [entry.slug, entry]));
    const now = new Map(before);
    const slugOfId = new Map([...before.values()].map(({ id, slug }) => [id, slug]));
    const fileOrder = new Set<string>();

    return {
      write(row: Given<TerritoryRow>) {
        const { slug } = row;
        if (slug == null) throw new RowFault("slug", message("required"));
        const stored = now.get(slug);
        const name = row.name ?? stored?.name;
        if (name === undefined) throw new RowFault("name", message("required"));
        const kind = row.kind ?? stored?.kind;
        if (kind === undefined) throw new RowFault("kind", message("required"));
        const parent = row.parent === undefined ? (stored?.parent ?? null) : row.parent;
        requireFreeId(row.id, slug, stored?.id, slugOfId);
        requirePlace(now, { slug, kind, parent });
        fileOrder.add(slug);
        if (stored?.name === name && stored.kind === kind && stored.parent === parent) {
          return "unchanged";
        }
        const newId = (): number => row.id ?? nextId(slugOfId, context.highestNumber ?? 0);
        const entry = stored ?? newTerritory(newId(), slug, now.size);
        now.set(slug, { ...entry, name, kind, parent });
        slugOfId.set(entry.id, slug);
        return stored === undefined ? "inserted" : "updated";
      },

      inUse: () => territoriesInUse(db),

      /** Goes upwards from the leaves: a node stays if any node below it stays. */
      removeOthers(named, inUse) {
        let removed = 0;
        for (const { id, slug } of inTreeOrder([...now.values()]).reverse()) {
          if (named.has(slug)) continue;
          const hasChildren = [...now.values()].some(({ parent }) => parent === slug);
          if (inUse.has(slug) || hasChildren) {
            const reason = hasChildren ? "staysForTerritories" : "staysForChannels";
            context.note(message(reason, { slug }));
            continue;
          }
          store.removeTerritory(slug);
          now.delete(slug);
          slugOfId.delete(id);
          removed += 1;
        }
        return removed;
      },

      /** Writes all changed entries in one statement, which holds the lock half as long as one for each. */
      beforeCommit() {
        const ordered = inTreeOrder(inFileOrder([...now.values()], fileOrder));
        const changed = ordered
          .map((entry, position) => ({ ...entry, position }))
          .filter((entry) => {
            const stored = before.get(entry.slug);
            return stored === undefined || !isSame(entry, stored);
          });
        store.saveTerritories(changed);
        const moved = changed.filter(
          ({ slug, path }) => before.has(slug) && before.get(slug)?.path !== path,
        );
        store.markMoved(
          moved.map(({ path }) => path),
          true,
        );
      },

      async afterwards(): Promise<void> {
        await refreshFacets(db, context.clock);
        // A node that moved counts towards other ancestors.
        await recount(db, context.clock);
      },
    };
  },
  exported: {
    columns: ["id", "slug", "name", "kind", "parent"],
    selectedBy: [],
    rows(db, _selection, after, limit) {
      const toValues = ({ id, slug, name, kind, parent }: Territory) => ({
        id,
        slug,
        name,
        kind,
        parent,
      });
      return directoryRows(createDirectoryStore(db).territories(), toValues, after, limit);
    },
  },
};

/** A new entry, placed at the end until the tree's order is known; the row and the tree fill in the rest. */
function newTerritory(id: number, slug: string, position: number): Territory {
  const blank = { name: "", kind: "country", parent: null } as const;
  return { id, slug, ...blank, path: "", position, channels: 0, isMoved: false };
}

/** Checks that levels go down from parent to child, which also rules out cycles. @throws RowFault */
function requirePlace(
  now: ReadonlyMap<string, Territory>,
  { slug, kind, parent }: Pick<Territory, "slug" | "kind" | "parent">,
): void {
  if (parent === null) {
    if (kind !== "country") throw new RowFault("parent", message("parentNeeded", { kind }));
  } else {
    const above = now.get(parent);
    if (above === undefined) {
      throw new RowFault("parent", unknownSlug(parent));
    }
    if (!mayContain(above.kind, kind)) {
      throw new RowFault("parent", message("wrongParent", { kind, above: above.kind }));
    }
  }
  const known = now.get(slug);
  if (known === undefined || known.kind === kind) return;
  for (const child of now.values()) {
    if (child.parent === slug && !mayContain(kind, child.kind)) {
      const below = { kind, below: child.kind, slug: child.slug };
      throw new RowFault("kind", message("wrongChild", below));
    }
  }
}
