import type { AppError } from "../../../errors.ts";
import type { Visit } from "../visit/visit.ts";
import { cutFaults } from "./cut-text.ts";
import { errorMessages } from "./error-messages.ts";
import { isNumberFilter } from "./typed-number.ts";

/**
 * Reports the faults of a search's filters under the names of the form's fields. People may type numbers in
 * more forms than the API accepts, so the page explains them in its own words.
 * @param labels names of the form's fields
 */
export function filterFaults(
  { language, words }: Visit,
  error: AppError,
  labels: Record<string, string>,
): string {
  const isNoNumber = (name: string): boolean =>
    isNumberFilter(name) &&
    error.faults?.[name]?.some(({ code }) => code === "notInteger" || code === "notNumber") ===
      true;
  return Object.entries(cutFaults(errorMessages(language, error)))
    .map(([name, messages]) => {
      const text = isNoNumber(name) ? words.explorerPages.likeNumber : messages.join(" ");
      return name in labels ? `${labels[name]}: ${text}` : text;
    })
    .join(" ");
}
