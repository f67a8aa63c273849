import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Placeholder for what a message fills in. */
const GAP = '…';

/** Shorter texts would match other messages. */
const FEWEST_LETTERS = 10;

/** Maximum depth of functions that pass a message on. */
const DEEPEST = 4;

/** Maximum number of texts of one error; with more, its parameters stay placeholders. */
const MAX_TEXTS = 60;

/** Code of an error, and its message. */
export type CodedMessage = readonly [code: string, message: string];

/** Messages that are not the first argument of an error: from a library, or collected before they are thrown. */
export const COLLECTED: readonly CodedMessage[] = [
  ['WG-101', "unknown option '…'"],
  ['WG-104', '…: is an unknown key'],
  ['WG-105', '…: must be one of …'],
  ['WG-107', '…: there is no such file'],
  ['WG-313', '….prepare[…]: …: answered …'],
  ['WG-501', 'there is no input …'],
  ['WG-503', 'GitHub did not …'],
  ['WG-507', 'its job measured nothing, or did not upload its run.json'],
  ['WG-510', 'answered HTTP …'],
  ['WG-601', '… rejects pushes to its branch …, because of a rule or a hook'],
  ['WG-602', '…: is not JSON'],
  ['WG-900', 'an internal error; please report it with these lines:'],
];

/** Messages of all errors in src by code, with "…" for placeholders. */
export function errorMessages(): readonly CodedMessage[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return [...messagesIn(files.toSorted().map((file) => readFileSync(`src/${file}`, 'utf8'))), ...COLLECTED];
}

/** The same for the text of source files. */
export function messagesIn(texts: readonly string[]): readonly CodedMessage[] {
  const sources = texts.map((text, index) => ts.createSourceFile(`${index}.ts`, text, ts.ScriptTarget.Latest, true));
  const program = programOf(sources);
  const found = program.errors.flatMap((error): readonly CodedMessage[] => {
    const [message, ...others] = error.arguments ?? [];
    const named = others.flatMap((one) => one.getText().match(/(?<=')WG-\d{3}(?=')/g) ?? []);
    const usual = program.codes.get(error.expression.getText());
    const codes =
      named.length > 0 || usual === undefined || others.some((one) => /\bcode\b/.test(one.getText())) ? named : [usual];
    const all = message === undefined ? [] : templatesOf(message, program, DEEPEST);
    const templates = all.length > MAX_TEXTS && message !== undefined ? templatesOf(message, program, 0) : all;
    return codes.flatMap((code) => templates.filter(isMessage).map((one) => [code, one] as const));
  });
  return [...new Map(found.map((one) => [one.join(' '), one])).values()];
}

/** Created errors, and calls of functions by name. */
interface Program {
  readonly errors: readonly ts.NewExpression[];
  readonly calls: ReadonlyMap<string, readonly ts.CallExpression[]>;
  /** Default codes of error classes. */
  readonly codes: ReadonlyMap<string, string>;
}

function programOf(sources: readonly ts.SourceFile[]): Program {
  const made: ts.NewExpression[] = [];
  const calls: ts.CallExpression[] = [];
  const codes = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node)) {
      made.push(node);
    } else if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      calls.push(node);
    } else if (ts.isClassDeclaration(node)) {
      const [code] = /(?<=static override readonly code\b.*')WG-\d{3}/.exec(node.getText()) ?? [];
      if (code !== undefined) {
        codes.set(node.name?.text ?? '', code);
      }
    }
    ts.forEachChild(node, visit);
  };
  sources.forEach(visit);
  const errors = made.filter(
    ({ expression }) => /Error$/.test(expression.getText()) || codes.has(expression.getText()),
  );
  return { errors, calls: Map.groupBy(calls, ({ expression }) => expression.getText()), codes };
}

function isMessage(template: string): boolean {
  return template.replaceAll(/[^\p{L}]/gu, '').length >= FEWEST_LETTERS;
}

/** Texts that an expression can have. */
function templatesOf(node: ts.Expression, program: Program, depth: number): readonly string[] {
  if (ts.isStringLiteralLike(node)) {
    return [node.text];
  }
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce<readonly string[]>(
      (before, { expression, literal }) => {
        const inner = templatesOf(expression, program, depth - 1);
        return before.flatMap((text) => inner.map((one) => text + one + literal.text));
      },
      [node.head.text],
    );
  }
  if (ts.isConditionalExpression(node)) {
    return [...templatesOf(node.whenTrue, program, depth), ...templatesOf(node.whenFalse, program, depth)];
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const lefts = templatesOf(node.left, program, depth);
    return lefts.flatMap((left) => templatesOf(node.right, program, depth).map((right) => left + right));
  }
  const sources = depth <= 0 || !ts.isIdentifier(node) ? [] : valuesOf(node, program);
  const texts = new Set(sources.flatMap((one) => templatesOf(one, program, depth - 1)));
  return texts.size === 0 ? [GAP] : [...texts];
}

/** Expressions that give a name its value: of its constant, or for a parameter the arguments of all calls. */
function valuesOf(name: ts.Identifier, { calls }: Program): readonly ts.Expression[] {
  for (let scope: ts.Node = name.parent; !ts.isSourceFile(scope); scope = scope.parent) {
    if (ts.isFunctionDeclaration(scope)) {
      const place = scope.parameters.findIndex((one) => namesIn(one.name).includes(name.text));
      if (place >= 0) {
        const given = callsOf(scope, calls).flatMap((call) => call.arguments[place] ?? []);
        return scope.parameters[place]?.name.kind === ts.SyntaxKind.Identifier
          ? given
          : given.flatMap((one) => propertyOf(one, name.text));
      }
    }
  }
  return constantsNamed(name);
}

/** Calls in its file, and if it is exported, in files that import the name. */
function callsOf(called: ts.FunctionDeclaration, calls: Program['calls']): readonly ts.CallExpression[] {
  const name = called.name?.text ?? '';
  const isExported = called.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return (calls.get(name) ?? []).filter((call) => {
    const file = call.getSourceFile();
    return file === called.getSourceFile() || (isExported && importsOf(file).includes(name));
  });
}

function importsOf(file: ts.SourceFile): readonly string[] {
  return file.statements.flatMap((one) => {
    const named = ts.isImportDeclaration(one) ? one.importClause?.namedBindings : undefined;
    return named !== undefined && ts.isNamedImports(named) ? named.elements.map(({ name }) => name.text) : [];
  });
}

function namesIn(name: ts.BindingName): readonly string[] {
  return ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((one) => (ts.isBindingElement(one) ? namesIn(one.name) : []));
}

function propertyOf(node: ts.Expression, name: string): readonly ts.Expression[] {
  return ts.isObjectLiteralExpression(node)
    ? node.properties.flatMap((one) =>
        ts.isPropertyAssignment(one) && one.name.getText() === name ? [one.initializer] : [],
      )
    : [];
}

function constantsNamed(name: ts.Identifier): readonly ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name.text && node.initializer !== undefined) {
      found.push(node.initializer);
    }
    ts.forEachChild(node, visit);
  };
  visit(name.getSourceFile());
  return found;
}
