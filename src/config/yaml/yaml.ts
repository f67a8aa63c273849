import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError, messageOf, nameHint, plainText } from '../../foundation/index.ts';
import { refuseOddKeysAndAliases } from './aliases.ts';
import {
  isTooLong,
  MOST_YAML_CHARACTERS,
  type Position,
  type PositionOf,
  positionAt,
  positionsIn,
  tooDeepAt,
  YAML_OPTIONS,
} from './lines.ts';

/** A configuration file's text and the path by which messages name it. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** What leads to a value in a file: keys of maps and numbers of items, from 0. */
export type Path = readonly (string | number)[];

/** What stands in a file, and where. */
export interface Placed<Value> {
  readonly value: Value;
  /** The same before a schema had a say. */
  readonly content: unknown;
  /** "wiregauge.yml:12:5: services.api.port", for messages; where there is no such thing, the place of what it would be in. */
  readonly placeOf: (path: Path) => string;
}

/** The value in a YAML text that fits a schema; throws ConfigError with file, line and path of what does not. */
export function parseYaml<Schema extends z.ZodType>(source: SourceText, schema: Schema): z.output<Schema> {
  return parsePlaced(source, schema).value;
}

/** The same, with what tells where its parts stand. */
export function parsePlaced<Schema extends z.ZodType>(
  { file, text }: SourceText,
  schema: Schema,
): Placed<z.output<Schema>> {
  const lines = new LineCounter();
  refuseSize({ file, text });
  const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter: lines });
  const broken = document.errors[0];
  if (broken !== undefined) {
    const { line, column } = positionAt(lines, broken.pos[0]);
    throw new ConfigError(`${file}:${line}:${column}: is not valid YAML: ${broken.message.split('\n')[0] ?? ''}`, {
      next: 'Mend the line; the error often sits just before it.',
    });
  }
  refuseOddKeysAndAliases({ file, document, lines });
  const content = contentOf(document, file);
  const positionOf = positionsIn(document, lines);
  const placeOf = (path: Path): string => placeIn(file, path, positionOf);
  const parsed = schema.safeParse(content, { error: textOf });
  if (!parsed.success) {
    throw misfit(parsed.error.issues, placeOf);
  }
  return { value: parsed.data, content, placeOf };
}

function refuseSize({ file, text }: SourceText): void {
  if (isTooLong(text)) {
    throw new ConfigError(`${file}: has ${text.length} characters, and ${MOST_YAML_CHARACTERS} are the most`, {
      next: 'Put long lists of arguments into files of their own (`feed`), and long bodies, too (`body: { file: … }`).',
    });
  }
  const at = tooDeepAt(text);
  if (at !== undefined) {
    throw new ConfigError(`${file}:${text.slice(0, at).split('\n').length}: goes too deep`, {
      next: 'Write maps and lists within each other up to 200 deep.',
    });
  }
}

function contentOf(document: Document, file: string): unknown {
  try {
    // What aliases come to was looked at before.
    return document.toJS({ maxAliasCount: -1 });
  } catch (cause) {
    throw new ConfigError(`${file}: cannot be read: ${messageOf(cause)}`, {
      cause,
      next: 'Write out what the aliases (*name) stand for.',
    });
  }
}

/** Keys that are not there and keys that there are none of, in words; undefined for what zod says itself. */
function textOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is missing' : expectedOf(issue.expected);
  }
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return key === undefined ? undefined : `is no key here; ${nameHint(key, known)}`;
}

/** Kinds of values as people who write YAML call them. */
const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function expectedOf(kind: string): string | undefined {
  const words = KINDS[kind];
  return words === undefined ? undefined : `must be ${words}`;
}

/** A key that there is none of goes first: a misspelt one is missing, too, and that would not help. */
function misfit(issues: readonly z.core.$ZodIssue[], placeOf: (path: Path) => string): ConfigError {
  const precise = issues.map(innermostIssue);
  const unknown = precise.find(({ code }) => code === 'unrecognized_keys');
  const issue = unknown ?? precise[0];
  const key = unknown?.code === 'unrecognized_keys' ? unknown.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...key].map((step) => (typeof step === 'symbol' ? String(step) : step));
  return new ConfigError(`${placeOf(path)}: ${issue?.message ?? 'is malformed'}`, {
    next: unknown === undefined ? SEE_KEYS : MEND_KEY,
  });
}

function placeIn(file: string, path: Path, positionOf: PositionOf): string {
  const position = innermost(path, positionOf);
  const place = position === undefined ? file : `${file}:${position.line}:${position.column}`;
  return `${place}: ${path.map(stepText).join('.') || 'the file'}`;
}

const LONGEST_STEP = 100;

/** A key may be any text, of any length. */
function stepText(step: string | number): string {
  return plainText(String(step), LONGEST_STEP);
}

const SEE_KEYS = 'docs/config.md shows every key of this file.';

const MEND_KEY =
  'Mend or remove the key. Where the file is written for a newer Wiregauge, take that one: `uses: wiregauge/wiregauge@<version>`.';

/** Where the innermost thing on a path stands that is there. */
function innermost(path: Path, positionOf: PositionOf): Position | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const position = positionOf(path.slice(0, length));
    if (position !== undefined) {
      return position;
    }
  }
  return undefined;
}

/**
 * What is wrong inside of a key, or inside of the one form that was meant where a value may have several: that whose keys were at
 * least looked into. The issue itself where nothing tells which.
 */
function innermostIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code === 'invalid_key') {
    return { ...issue, message: issue.issues[0]?.message ?? issue.message };
  }
  const forms = issue.code === 'invalid_union' ? issue.errors.filter(([first]) => first && isWithin(first)) : [];
  const found = forms.length === 1 ? (forms[0] ?? []) : [];
  const inner = found.find(({ code }) => code === 'unrecognized_keys') ?? found[0];
  return inner === undefined ? issue : innermostIssue({ ...inner, path: [...issue.path, ...inner.path] });
}

function isWithin({ path, code }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === 'unrecognized_keys';
}
