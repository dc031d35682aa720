import type { FieldFaults } from "../errors.ts";
import { unknownSlug } from "../values/fields.ts";
import type { Services } from "./services.ts";

/**
 * Numbers of the category and territory named in a filter, null if not given. Unknown names are added to
 * the faults.
 */
export function readFacets(
  { category, territory }: { category?: string | undefined; territory?: string | undefined },
  directory: Pick<Services["directory"], "categoryId" | "territoryId">,
  faults: FieldFaults,
): { categoryId: number | null; territoryId: number | null } {
  const categoryId = category === undefined ? null : directory.categoryId(category);
  if (category !== undefined && categoryId === null) faults["category"] = [unknownSlug(category)];
  const territoryId = territory === undefined ? null : directory.territoryId(territory);
  if (territory !== undefined && territoryId === null) {
    faults["territory"] = [unknownSlug(territory)];
  }
  return { categoryId, territoryId };
}
