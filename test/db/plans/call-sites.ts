import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { Glob } from "bun";
import ts from "typescript";

/** A place in src where a statement is prepared. */
export interface CallSite {
  /** File in src and enclosing function, such as `catalog/posts/posts.store.ts selectPosts`. */
  name: string;
  file: string;
  /** Source text of the call. */
  text: string;
  /** First and last line of the call. */
  lines: [first: number, last: number];
}

const SRC = resolve(import.meta.dir, "../../../src");
/** Methods of drizzle with which a statement begins. */
export const BUILDERS = ["select", "selectDistinct", "insert", "update", "delete"];
/** Functions of src/db/statement.ts that prepare a statement when it is first run. */
const PREPARING = ["query", "change"];

/** Every call in src that prepares a statement: of one of these functions, a connection, or drizzle. */
export function findCallSites(): CallSite[] {
  const files = [...new Glob("**/*.ts").scanSync(SRC)].sort();
  return files.flatMap((file) => {
    const text = readFileSync(`${SRC}/${file}`, "utf8");
    const isOfInterest = /statement|query|change|\.prepare\(|\bdb\b|builders/.test(text);
    return isOfInterest ? sitesOf(file, text) : [];
  });
}

function sitesOf(file: string, text: string): CallSite[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const sites: CallSite[] = [];
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && preparesStatement(node)) {
      const name = `${file} ${functionAround(node)}`;
      const lines: CallSite["lines"] = [lineOf(node.getStart(source)), lineOf(node.getEnd())];
      sites.push({ name, file, text: node.getText(source), lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

function preparesStatement(node: ts.CallExpression): boolean {
  const { expression: called } = node;
  if (ts.isIdentifier(called)) {
    const isOfQueries = node.getSourceFile().text.includes('/db/statement.ts"');
    return called.text === "statement" || (isOfQueries && PREPARING.includes(called.text));
  }
  if (!ts.isPropertyAccessExpression(called)) return false;
  const receiver = called.expression.getText();
  if (/(^|\.)(db|client)$/.test(receiver) && ["prepare", "exec"].includes(called.name.text)) {
    return true;
  }
  // Takes the whole chain instead of each of its calls.
  const isWithin =
    ts.isPropertyAccessExpression(node.parent) && ts.isCallExpression(node.parent.parent);
  return isBuilder(node) && !isWithin;
}

/** Whether a chain of calls begins with a builder, such as `db.builders.select()`. */
function isBuilder(node: ts.Expression): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  const isBegun = BUILDERS.includes(name.text) && /\.builders\b/.test(expression.getText());
  return isBegun || isBuilder(expression);
}

function functionAround(node: ts.Node): string {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isVariableDeclaration(at) && ts.isSourceFile(at.parent.parent.parent)) {
      return at.name.getText();
    }
    if (!ts.isFunctionLike(at)) continue;
    if (at.name !== undefined) return at.name.getText();
    const { parent } = at;
    if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) {
      return parent.name.getText();
    }
  }
  return "";
}

/** The innermost place of a stack that is in src, without the modules that lead to the driver. */
export function sourceFrame(stack: string): { file: string; line: number } | null {
  for (const [, path = "", line = ""] of stack.matchAll(/\(?(\/[^\n():]+\.tsx?):(\d+):\d+\)?$/gm)) {
    const file = relative(SRC, path);
    if (!file.startsWith("..") && !WAY_TO_DRIVER.includes(file))
      return { file, line: Number(line) };
  }
  return null;
}

const WAY_TO_DRIVER = ["db/database.ts", "db/statement.ts"];
