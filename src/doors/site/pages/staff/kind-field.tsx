/** @jsxImportSource hono/jsx */
import { IMPORT_KIND_NAMES } from "../../../../catalog/imports/kinds/import-kinds.ts";
import { SelectField } from "../../look/form.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/** A choice of the kind of a file's rows. */
export function KindField() {
  const words = useVisit().words.importPages;
  const options = IMPORT_KIND_NAMES.map((value) => ({ value, label: words.kinds[value] }));
  const field = { name: "kind", label: words.kind, value: "channels" };
  return <SelectField {...field} options={options} />;
}
