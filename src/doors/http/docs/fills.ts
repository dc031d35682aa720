import python from "../../../push/webhooks/receivers/python.txt" with { type: "text" };
import typescript from "../../../push/webhooks/receivers/typescript.txt" with { type: "text" };
import type { Language } from "../../../values/language.ts";
import { toolMethods } from "../../../verbs/table.ts";
import { WORDS } from "../../../words/words.ts";
import pythonClient from "./clients/python.txt" with { type: "text" };
import typescriptClient from "./clients/typescript.txt" with { type: "text" };

/** Markdown that replaces what a guide has between `<!-- fill: name -->` and `<!-- /fill -->`, by name. */
export const fills: Record<string, (language: Language) => string> = {
  tools: toolsTable,
  "typescript.txt": () => `\`\`\`ts\n${typescript}\`\`\``,
  "python.txt": () => `\`\`\`python\n${python}\`\`\``,
  "clients/typescript.txt": () => `\`\`\`ts\n${typescriptClient}\`\`\``,
  "clients/python.txt": () => `\`\`\`python\n${pythonClient}\`\`\``,
};

function toolsTable(language: Language): string {
  const rows = toolMethods.map(
    ({ operationId, title, units }) => `| \`${operationId}\` | ${title} | ${units} |`,
  );
  return [
    `| ${WORDS[language].docsPages.toolColumns.join(" | ")} |`,
    "|---|---|---|",
    ...rows,
  ].join("\n");
}
