import type { AppError } from "../../../errors.ts";
import { type Message, verbatim } from "../../../values/messages/messages.ts";
import type { Visit } from "../visit/visit.ts";
import { cutFaults } from "./cut-text.ts";
import { told } from "./told.ts";

/**
 * What is wrong with the filters of a search, each under the name that its form has for it. A number is typed
 * there in more ways than the API takes, so that the page says itself what one looks like.
 * @param labels names of the form's fields
 */
export function filterFaults(
  { language, words }: Visit,
  error: AppError,
  labels: Record<string, string>,
): string {
  const said = (one: Message): Message =>
    one.code === "notInteger" || one.code === "notNumber"
      ? verbatim(words.explorerPages.likeNumber)
      : one;
  const faults =
    error.faults &&
    Object.fromEntries(Object.entries(error.faults).map(([name, some]) => [name, some.map(said)]));
  return Object.entries(cutFaults(told(language, { said: error.said, faults })))
    .map(([name, messages]) => {
      const text = messages.join(" ");
      return name in labels ? `${labels[name]}: ${text}` : text;
    })
    .join(" ");
}
