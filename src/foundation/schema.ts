import * as z from 'zod';
import { ConfigError } from './errors.ts';
import { excessInText, excessInValue } from './json.ts';
import { nearName } from './names.ts';
import { plainText } from './text.ts';

/** Kinds of values in the words of YAML users. */
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
      return `has an unknown key: ${issue.keys.slice(0, MAX_KEYS).join(', ')}`;
    case 'invalid_union':
      return unionText(issue);
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'has a name that is not allowed';
    default:
      return 'is not valid';
  }
}

/** Longer texts are not repeated in messages. */
const LONGEST_EXAMPLE = 60;

/** Untrusted maps may have thousands of unknown keys. */
const MAX_KEYS = 20;

function kindText({ expected, input }: Issue<'invalid_type'>): string {
  if (expected === 'array' && typeof input === 'string' && input !== '' && input.length <= LONGEST_EXAMPLE) {
    return `must be a list, like [${input.trim().split(/\s+/).join(', ')}]`;
  }
  const isNumeric = typeof input === 'string' && input.trim() !== '' && Number.isFinite(Number(input));
  const isQuoted = isNumeric && (expected === 'number' || expected === 'int');
  return `must be ${kindOf(expected)}${isQuoted ? ', without quotes' : ''}`;
}

function kindOf(kind: string): string {
  return KINDS[kind] ?? `of type ${kind}`;
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

/** Singular and plural of what is counted in a value. */
const THINGS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['key', 'keys'],
  object: ['key', 'keys'],
};

/** Message with the kinds that a value may have. Other mistakes need an `error` in the schema. */
function unionText({ errors, options }: Issue<'invalid_union'>): string {
  if (Array.isArray(options) && options.length > 0) {
    return `must be one of ${options.map(String).join(', ')}`;
  }
  const first = errors.map(([issue]) => issue);
  const kinds = first.flatMap((issue) =>
    issue?.code === 'invalid_type' && issue.path.length === 0 ? kindOf(issue.expected) : [],
  );
  if (kinds.length < first.length || kinds.length === 0) {
    return 'does not match any allowed form';
  }
  const all = [...new Set(kinds)];
  return `must be ${all.length < 3 ? all.join(' or ') : `${all.slice(0, -1).join(', ')}, or ${all.at(-1)}`}`;
}

// The messages of the library ("Invalid input: expected string") are for programmers.
z.config({ customError: issueText });

/** List that is refused at its first invalid item: a damaged file may have very many, and a message for each would use up the memory. */
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

/** Layout version in a file; undefined if it has none. */
export function schemaOf(found: unknown): unknown {
  return typeof found === 'object' && found !== null && 'schema' in found ? found.schema : undefined;
}

export function otherSchema(found: unknown, reads: number): string {
  const schema = schemaOf(found);
  const has = typeof schema === 'number' ? `has schema ${schema}` : 'has no readable schema';
  const writer = typeof found === 'object' && found !== null && 'wiregauge' in found ? found.wiregauge : undefined;
  const isVersion = typeof writer === 'string' && /^[\w.+-]{1,40}$/.test(writer);
  return `${has}${isVersion ? `, written by Wiregauge ${writer}` : ''}, and this version reads schema ${reads}`;
}

const LONGEST_ISSUE = 300;

/** First mistake in a file, in one line, with untrusted names made safe. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const words = issue?.message ?? 'is malformed';
  return plainText(
    issue === undefined || issue.path.length === 0 ? words : `${issue.path.join('.')}: ${words}`,
    LONGEST_ISSUE,
  );
}

export interface FileKind<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly version: number;
  /** Advice for a text that is not JSON, of another version, or malformed. */
  readonly next: Readonly<Record<'notJson' | 'otherVersion' | 'malformed', string>>;
}

/** Record in the text of a results file. Throws ConfigError with the file and the place of the first mistake. */
export function recordIn<Schema extends z.ZodType>(
  content: string,
  file: string,
  { schema, version, next }: FileKind<Schema>,
): z.output<Schema> {
  refuseExcess(excessInText(content, LIMITS), file);
  const found = parseJson(content, file, next.notJson);
  refuseExcess(excessInValue(found, LIMITS), file);
  if (schemaOf(found) !== version) {
    throw new ConfigError(`${file}: ${otherSchema(found, version)}`, { code: 'WG-403', next: next.otherVersion });
  }
  const parsed = schema.safeParse(found);
  if (!parsed.success) {
    throw new ConfigError(`${file}: ${firstIssue(parsed.error)}`, { code: 'WG-403', next: next.malformed });
  }
  return parsed.data;
}

/** Limits above any measurement, within the memory of a runner. */
const LIMITS = { characters: 100e6, values: 5e6, itemsOfList: 100_000, keysOfMap: 10_000 };

function refuseExcess(excess: string | undefined, file: string): void {
  if (excess !== undefined) {
    throw new ConfigError(`${file}: ${excess}`, {
      code: 'WG-403',
      next: 'No measurement is that large: check what wrote the file. If a run has very many services, split them over jobs (`wiregauge shards plan`).',
    });
  }
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
