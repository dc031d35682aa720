import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import ts from "typescript";

/**
 * `expect(…).rejects` and `.resolves` return promises that the linter takes for void. A test that does not
 * await one ends before the promise settles, and passes whatever it settles with.
 */

const TESTS = join(import.meta.dir, "..");

/** Lines of a file with an expectation about a promise that is neither awaited nor returned. */
function linesNotAwaited(text: string, name = "a.test.tsx"): number[] {
  if (!/\.(rejects|resolves)\b/.test(text)) return [];
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (isAboutPromise(node) && !isAwaited(wholeOf(node))) {
      lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

/** Whether this is `expect(…).rejects` or `expect(…).resolves`. */
function isAboutPromise(node: ts.Node): boolean {
  return (
    ts.isPropertyAccessExpression(node) &&
    ["rejects", "resolves"].includes(node.name.text) &&
    ts.isCallExpression(node.expression) &&
    node.expression.expression.getText() === "expect"
  );
}

/** The chain of properties and calls that begins with a node. */
function wholeOf(node: ts.Node): ts.Node {
  const { parent } = node;
  const isFurther =
    (ts.isPropertyAccessExpression(parent) || ts.isCallExpression(parent)) &&
    parent.expression === node;
  return isFurther ? wholeOf(parent) : node;
}

/** Whether an expectation is awaited, or returned to a caller who awaits it. */
function isAwaited({ parent }: ts.Node): boolean {
  return ts.isAwaitExpression(parent) || ts.isReturnStatement(parent) || ts.isArrowFunction(parent);
}

test("every expectation about a promise is awaited", () => {
  const files = [...new Glob("**/*.{ts,tsx}").scanSync(TESTS)].sort();
  const found = files.flatMap((file) =>
    linesNotAwaited(readFileSync(join(TESTS, file), "utf8"), file).map((line) => `${file}:${line}`),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

test("an expectation that is not awaited is found, in one line and in several", () => {
  const text = [
    "expect(made()).rejects.toThrow();",
    "expect(made()).resolves.not.toBe(1);",
    "void expect(made()).rejects.toThrow();",
    "expect(",
    "  made(),",
    ").rejects.toThrow();",
    "await expect(made()).rejects.toThrow();",
    "const later = () => expect(made()).rejects.toThrow();",
    "expect(made.rejects).toEqual([]);",
  ];
  expect(linesNotAwaited(text.join("\n"))).toEqual([1, 2, 3, 4]);
});
