import { z } from 'zod';
import { ConfigError } from './errors.ts';
import { plainText } from './text.ts';

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

/** The version of the layout that a file says it has; undefined where it says none. */
export function schemaOf(found: unknown): unknown {
  return typeof found === 'object' && found !== null && 'schema' in found ? found.schema : undefined;
}

/** That a file of ours has another layout than the one that is read here. What it says of itself may be anything. */
export function otherSchema(found: unknown, reads: number): string {
  const schema = schemaOf(found);
  const has = typeof schema === 'number' ? `has schema ${schema}` : 'has no schema that could be read';
  return `${has}${writerOf(found)}, and this version reads schema ${reads}`;
}

function writerOf(found: unknown): string {
  const writer = typeof found === 'object' && found !== null && 'wiregauge' in found ? found.wiregauge : undefined;
  return typeof writer === 'string' && /^[\w.+-]{1,40}$/.test(writer) ? `, written by Wiregauge ${writer}` : '';
}

const LONGEST_ISSUE = 300;

/** Where a file is not as it must be, and why, on one line: its names may be a stranger's. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  return plainText(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is malformed'}`, LONGEST_ISSUE);
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
    throw new ConfigError(`${file}: ${otherSchema(found, version)}`, { next: next.otherVersion });
  }
  const parsed = schema.safeParse(found);
  if (!parsed.success) {
    throw new ConfigError(`${file}: ${firstIssue(parsed.error)}`, { next: next.malformed });
  }
  return parsed.data;
}

function parseJson(content: string, file: string, next: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new ConfigError(`${file}: is not JSON, or was cut short (${content.length} characters)`, { cause, next });
  }
}
