import * as z from 'zod';
import { ConfigError } from './errors.ts';
import { nearName } from './names.ts';
import { plainText } from './text.ts';

/** Kinds of values as people who write YAML call them. */
const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'empty',
};

type Issue<Code extends z.core.$ZodRawIssue['code']> = Extract<z.core.$ZodRawIssue, { readonly code: Code }>;

/** What is wrong with a value, in words that stand behind the path to it: "must be at least 8". */
function issueText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : kindText(issue);
    case 'invalid_value':
      return valueText(issue);
    case 'too_small':
      return sizeText(issue, issue.minimum, issue.inclusive === false ? 'above' : 'at least');
    case 'too_big':
      return sizeText(issue, issue.maximum, issue.inclusive === false ? 'below' : 'at most');
    case 'invalid_format':
      return issue.pattern === undefined ? `must be written as ${issue.format}` : `must match ${issue.pattern}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has an unknown key: ${issue.keys.slice(0, MOST_KEYS).join(', ')}`;
    case 'invalid_union':
      return unionText(issue);
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'has a name that is not allowed';
    default:
      return 'is not valid';
  }
}

/** Longer texts explain nothing. */
const LONGEST_EXAMPLE = 60;

/** A stranger's map may have thousands of them. */
const MOST_KEYS = 20;

function kindText({ expected, input }: Issue<'invalid_type'>): string {
  if (expected === 'array' && typeof input === 'string' && input !== '' && input.length <= LONGEST_EXAMPLE) {
    return `must be a list, like [${input.trim().split(/\s+/).join(', ')}]`;
  }
  const isQuoted = (expected === 'number' || expected === 'int') && isNumeric(input);
  return `must be ${kindOf(expected)}${isQuoted ? ', without quotes' : ''}`;
}

function kindOf(kind: string): string {
  return KINDS[kind] ?? `of type ${kind}`;
}

function isNumeric(input: unknown): boolean {
  return typeof input === 'string' && input.trim() !== '' && Number.isFinite(Number(input));
}

function valueText({ values, input }: Issue<'invalid_value'>): string {
  const known = values.map(String);
  const list = known.length > 1 ? `one of ${known.join(', ')}` : known.join('');
  if (input === undefined) {
    return `is missing; it must be ${list}`;
  }
  const near = typeof input === 'string' && known.length > 1 ? nearName(input, known) : undefined;
  return `must be ${list}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function sizeText({ origin }: Issue<'too_small' | 'too_big'>, size: number | bigint, bound: string): string {
  const things = THINGS[origin];
  if (things === undefined) {
    return `must be ${bound} ${size}`;
  }
  return bound === 'at least' && size === 1
    ? 'must not be empty'
    : `must have ${bound} ${size} ${size === 1 ? things[0] : things[1]}`;
}

/** What is counted in values that have no size of their own: one of it, several. */
const THINGS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['key', 'keys'],
  object: ['key', 'keys'],
};

/** A value that may be of several kinds says which; what else is wrong with it is told by the schema of the key. */
function unionText({ errors, options }: Issue<'invalid_union'>): string {
  if (Array.isArray(options) && options.length > 0) {
    return `must be one of ${options.map(String).join(', ')}`;
  }
  const first = errors.map(([issue]) => issue);
  const kinds = first.flatMap((issue) =>
    issue?.code === 'invalid_type' && issue.path.length === 0 ? kindOf(issue.expected) : [],
  );
  return kinds.length === first.length && kinds.length > 0
    ? `must be ${oneOf([...new Set(kinds)])}`
    : 'does not match any allowed form';
}

/** "a", "a or b", "a, b, or c". */
function oneOf(kinds: readonly string[]): string {
  return kinds.length < 3 ? kinds.join(' or ') : `${kinds.slice(0, -1).join(', ')}, or ${kinds.at(-1)}`;
}

// The library's own words ("Invalid input: expected string") are for programmers.
z.config({ customError: issueText });

/**
 * A list, refused at its first item that does not fit: a damaged or foreign file may have very many of them, and a message about each
 * would take more memory than there is.
 */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.unknown()).transform((found, context): readonly z.output<Item>[] => {
    const items: z.output<Item>[] = [];
    for (const [index, one] of found.entries()) {
      const parsed = item.safeParse(one);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        context.addIssue({
          code: 'custom',
          path: [index, ...(issue?.path ?? [])],
          message: issue?.message ?? 'is malformed',
        });
        return z.NEVER;
      }
      items.push(parsed.data);
    }
    return items;
  });
}

/** The version of the layout that a file says it has; undefined if it says none. */
export function schemaOf(found: unknown): unknown {
  return typeof found === 'object' && found !== null && 'schema' in found ? found.schema : undefined;
}

/** That a file of ours has another layout than the one that is read here. What it says of itself may be anything. */
export function otherSchema(found: unknown, reads: number): string {
  const schema = schemaOf(found);
  const has = typeof schema === 'number' ? `has schema ${schema}` : 'has no readable schema';
  return `${has}${writerOf(found)}, and this version reads schema ${reads}`;
}

function writerOf(found: unknown): string {
  const writer = typeof found === 'object' && found !== null && 'wiregauge' in found ? found.wiregauge : undefined;
  return typeof writer === 'string' && /^[\w.+-]{1,40}$/.test(writer) ? `, written by Wiregauge ${writer}` : '';
}

const LONGEST_ISSUE = 300;

/** Where a file is not as it must be, and why, on one line: its names may be a stranger's. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const words = issue?.message ?? 'is malformed';
  return plainText(
    issue === undefined || issue.path.length === 0 ? words : `${issue.path.join('.')}: ${words}`,
    LONGEST_ISSUE,
  );
}

/** A kind of file that Wiregauge writes and reads again. */
export interface FileKind<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** Of its layout. */
  readonly version: number;
  /** What to do about a text that is not JSON, of another version, or malformed. */
  readonly next: Readonly<Record<'notJson' | 'otherVersion' | 'malformed', string>>;
}

/** The record in the text of a file of ours. Throws ConfigError, naming the file and the place in it, for any other text. */
export function recordIn<Schema extends z.ZodType>(
  content: string,
  file: string,
  { schema, version, next }: FileKind<Schema>,
): z.output<Schema> {
  const found = parseJson(content, file, next.notJson);
  if (schemaOf(found) !== version) {
    throw new ConfigError(`${file}: ${otherSchema(found, version)}`, { code: 'WG-403', next: next.otherVersion });
  }
  const parsed = schema.safeParse(found);
  if (!parsed.success) {
    throw new ConfigError(`${file}: ${firstIssue(parsed.error)}`, { code: 'WG-403', next: next.malformed });
  }
  return parsed.data;
}

function parseJson(content: string, file: string, next: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new ConfigError(`${file}: is not valid JSON, or is truncated (${content.length} characters)`, {
      code: 'WG-403',
      cause,
      next,
    });
  }
}
