import { asObject, membersOf } from "../../../values/json-text.ts";

/**
 * Rich messages (Bot API 10): nested blocks and texts. They are read by what their members contain rather
 * than by type, so that types added later are read too.
 */

/** Depth limit, far above the 16 levels that the API permits. */
const DEPTH_MAX = 40;

const MEDIA: Readonly<Record<string, string>> = {
  photo: "photo",
  animation: "video",
  video: "video",
  audio: "audio",
  document: "document",
  voice_note: "voice",
  location: "other",
};

/** Text of a rich message, one line per block; empty for anything else. */
export function richText(message: unknown): string {
  const blocks = asObject(message)?.["blocks"];
  return Array.isArray(blocks) ? linesOf(blocks, 0).join("\n") : "";
}

/** Kinds of media in a rich message. */
export function richMedia(message: unknown): string[] {
  const kinds = new Set<string>();
  const visit = (given: unknown, depth: number): void => {
    if (depth > DEPTH_MAX) return;
    for (const one of listOf(given)) {
      const block = asObject(one);
      const kind = MEDIA[Object.keys(block ?? {}).find((name) => name in MEDIA) ?? ""];
      if (kind !== undefined) kinds.add(kind);
      visit(block?.["blocks"], depth + 1);
      visit(block?.["items"], depth + 1);
    }
  };
  visit(asObject(message)?.["blocks"], 0);
  return [...kinds];
}

function linesOf(blocks: unknown, depth: number): string[] {
  if (depth > DEPTH_MAX) return [];
  return listOf(blocks)
    .flatMap((one) => {
      const { text, expression, summary, blocks, items, cells, caption, credit, label } =
        membersOf(one);
      const within = [
        ...linesOf(blocks, depth + 1),
        ...linesOf(items, depth + 1),
        ...listOf(cells).map((row) => linesOf(row, depth + 1).join(" ")),
      ];
      // An item's label precedes its first line.
      if (typeof label === "string") within[0] = `${label} ${within[0] ?? ""}`.trim();
      const { text: captionText, credit: captionCredit } = asObject(caption) ?? { text: caption };
      return [
        ...[words(text ?? expression, depth), words(summary, depth), ...within],
        ...[words(captionText, depth), words(captionCredit ?? credit, depth)],
      ];
    })
    .filter((line) => line !== "");
}

/** Text in a value: a string, a list of texts, or an object containing one. */
function words(given: unknown, depth: number): string {
  if (typeof given === "string") return given;
  if (depth > DEPTH_MAX) return "";
  if (Array.isArray(given)) return given.map((one) => words(one, depth + 1)).join("");
  const { text, alternative_text, expression, button } = membersOf(given);
  return words(
    text ?? alternative_text ?? expression ?? asObject(button)?.["text"] ?? "",
    depth + 1,
  );
}

function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}
