import python from "../../../push/webhooks/receivers/python.txt" with { type: "text" };
import typescript from "../../../push/webhooks/receivers/typescript.txt" with { type: "text" };
import type { Language } from "../../../values/messages/messages.ts";
import { toolMethods } from "../../../verbs/methods/table.ts";
import { WORDS } from "../../../words/words.ts";
import pythonClient from "./clients/python.txt" with { type: "text" };
import typescriptClient from "./clients/typescript.txt" with { type: "text" };

/** The address used in guides, which is replaced by the reader's own appliance's. */
export const WRITTEN_ADDRESS = "http://127.0.0.1:8080";

/** An option of a command, such as `--dry-run`. */
const FLAG = /(?<![\w-])--[a-z][a-z-]*/g;

/**
 * Converts a guide's Markdown, which is trusted, to HTML: headings get the anchors that GitHub gives them
 * and a table of contents, wide content gets a box that can be scrolled by keyboard, and links to other
 * guides' files and to pictures are rewritten to their pages and URLs. Options in inline code and in commands
 * are marked, so that they are not broken at a hyphen.
 */
export function guideHtml(
  markdown: string,
  language: Language,
  /** Relative path to the appliance's root. */
  root = "../../",
  /** Path of a guide's page by its name. */
  pathTo: (name: string) => string | undefined = (name) => `../${name}/`,
): { title: string; body: string } {
  const words = WORDS[language].docsPages;
  const contents: string[] = [];
  const html = Bun.markdown
    .html(filled(markdown, language))
    .replace(/<!--[\s\S]*?-->\n?/g, "")
    .replace(/<pre>[\s\S]*?<\/pre>|<code>[^<]*<\/code>/g, (code) =>
      code.startsWith("<pre>") && !code.startsWith('<pre><code class="language-sh')
        ? code
        : code.replace(FLAG, '<span class="flag">$&</span>'),
    )
    .replace(/<h([23])>(.*?)<\/h\1>/g, (_heading, level: string, text: string) => {
      const id = anchorOf(text);
      if (level === "2") contents.push(`<li><a href="#${id}">${text}</a></li>`);
      return `<h${level} id="${id}"><a href="#${id}">${text}</a></h${level}>`;
    })
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replace(/<table>[\s\S]*?<\/table>/g, (table) => {
      const box = `<section class="scroll" role="group" tabindex="0" aria-label="${words.table}">`;
      return `${box}${namedTable(table)}</section>`;
    })
    .replaceAll(' src="pictures/', ` src="${root}docs/pictures/`)
    .replace(/ href="[^":#]*?([\w.]+)\.md(#[^"]*)?"/g, (_link, file: string, anchor = "") => {
      const [name = "", of] = file.split(".");
      return ` href="${pathTo(name)}${of === undefined ? "" : `?lang=${of}`}${anchor}"`;
    });
  const [heading = "", title = ""] = /<h1>(.*?)<\/h1>/.exec(html) ?? [];
  const list = `<nav class="contents" aria-label="${words.contents}"><ul>${contents.join("")}</ul></nav>`;
  return { title, body: html.replace(heading, `${heading}\n${list}`) };
}

/**
 * Labels each cell with its column, for narrow windows, which show each row as a block. Columns of numbers
 * are aligned at the right.
 */
function namedTable(table: string): string {
  const columns = [...table.matchAll(/<th>(.*?)<\/th>/g)].map(([, name = ""]) =>
    name.replace(/<[^>]*>/g, ""),
  );
  const rows = [...table.matchAll(/<tr><td>(.*)<\/td><\/tr>/g)].map(([, cells = ""]) =>
    cells.split("</td><td>"),
  );
  const numberClass = (column: number) =>
    column > 0 && rows.every((cells) => /^[\d,]+$/.test(cells[column] ?? ""))
      ? ' class="number"'
      : "";
  let heads = 0;
  return table
    .replace("<table>", '<table class="named">')
    .replaceAll("<th>", () => `<th${numberClass(heads++)}>`)
    .replace("<th></th>", "<td></td>")
    .replace(/<tr><td>.*<\/td><\/tr>/g, (row) => {
      let at = 0;
      return row.replaceAll("<td>", () => {
        const name = at === 0 ? "" : columns[at];
        const kind = numberClass(at);
        at += 1;
        return name === "" ? "<td>" : `<td${kind} data-label="${name}">`;
      });
    });
}

/** Replaces the marked parts of a guide. @throws Error for a name missing from `fills` */
export function filled(markdown: string, language: Language): string {
  return markdown.replace(
    /<!-- fill: (\S+) -->[\s\S]*?<!-- \/fill -->/g,
    (_block, name: string) => {
      const fill = fills[name];
      if (fill === undefined) throw new Error(`there is nothing to fill in for ${name}`);
      return `${fill(language)}\n`;
    },
  );
}

/** Anchor of a heading, by GitHub's rule. @param heading HTML */
function anchorOf(heading: string): string {
  return heading
    .replace(/<[^>]*>|&\w+;/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Markdown that replaces what a guide has between `<!-- fill: name -->` and `<!-- /fill -->`, by name. */
const fills: Record<string, (language: Language) => string> = {
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
