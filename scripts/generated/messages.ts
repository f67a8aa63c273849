import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Placeholder for what a message fills in. */
const GAP = '…';

/** Shorter texts would be found in other messages. */
const FEWEST_LETTERS = 10;

/** Messages of all errors in src by their code, with "…" for what they fill in. */
export function errorMessages(): readonly CodedMessage[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.toSorted().flatMap((file) => messagesIn(file, readFileSync(`src/${file}`, 'utf8')));
  return [...new Map(found.map((one) => [one.join(' '), one])).values()];
}

/** Code of an error, and its message. */
export type CodedMessage = readonly [code: string, message: string];

/** The same for a source file. */
export function messagesIn(file: string, text: string): readonly CodedMessage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: CodedMessage[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText(source))) {
      const [message, ...others] = node.arguments ?? [];
      const codes = others.flatMap((one) => one.getText(source).match(/(?<=')WG-\d{3}(?=')/g) ?? []);
      const templates = message === undefined ? [] : templatesOf(message, source);
      found.push(...codes.flatMap((code) => templates.filter(isMessage).map((one) => [code, one] as const)));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isMessage(template: string): boolean {
  return template.replaceAll(/[^\p{L}]/gu, '').length >= FEWEST_LETTERS;
}

/** Texts that an expression can have. */
function templatesOf(node: ts.Expression, source: ts.SourceFile): readonly string[] {
  if (ts.isStringLiteralLike(node)) {
    return [node.text];
  }
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => GAP + literal.text).join('')];
  }
  if (ts.isConditionalExpression(node)) {
    return [...templatesOf(node.whenTrue, source), ...templatesOf(node.whenFalse, source)];
  }
  if (ts.isBinaryExpression(node)) {
    const lefts = templatesOf(node.left, source);
    return lefts.flatMap((left) => templatesOf(node.right, source).map((right) => left + right));
  }
  if (ts.isIdentifier(node)) {
    return constantsNamed(node.text, source).flatMap((one) => templatesOf(one, source));
  }
  return [GAP];
}

function constantsNamed(name: string, source: ts.SourceFile): readonly ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText(source) === name && node.initializer !== undefined) {
      found.push(node.initializer);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
