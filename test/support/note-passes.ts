import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

/**
 * Loaded before everything else: each function of src then notes its file in `passed` whenever it is called.
 * What a file does when it is loaded is not noted.
 */
export const passed = new Set<string>();
Object.assign(globalThis, { notePass: (file: string) => passed.add(file) });

const SOURCE = join(import.meta.dir, "../../src/");

Bun.plugin({
  name: "note passes",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const isOurs = path.startsWith(SOURCE);
      return {
        contents: isOurs ? noting(path, text) : text,
        loader: path.endsWith("x") ? "tsx" : "ts",
      };
    });
  },
});

/** The text of a file whose functions note that they are called. */
function noting(path: string, text: string): string {
  const call = `notePass(${JSON.stringify(relative(SOURCE, path))})`;
  const inserted: { at: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const { body } = node as { body: ts.Node };
      if (ts.isBlock(body)) inserted.push({ at: body.getStart() + 1, text: `${call};` });
      else {
        inserted.push({ at: body.getStart(), text: `(${call}, ` }, { at: body.end, text: ")" });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return inserted
    .toSorted((one, other) => other.at - one.at)
    .reduce((all, { at, text: some }) => all.slice(0, at) + some + all.slice(at), text);
}
