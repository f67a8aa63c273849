import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError, messageOf } from '../core/errors.ts';
import { type LineOf, linesIn } from './lines.ts';
import { nameHint } from './near-name.ts';

/** A configuration file's text and the path by which messages name it. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** The value in a YAML text that fits a schema; throws ConfigError with file, line and path of what does not. */
export function parseYaml<Schema extends z.ZodType>({ file, text }: SourceText, schema: Schema): z.output<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const broken = document.errors[0];
  if (broken !== undefined) {
    const line = lines.linePos(broken.pos[0]).line;
    throw new ConfigError(`${file}:${line}: is not valid YAML: ${broken.message.split('\n')[0] ?? ''}`, {
      next: 'Mend the line; the error often sits just before it.',
    });
  }
  const parsed = schema.safeParse(contentOf(document, file), { error: textOf });
  if (!parsed.success) {
    throw misfit(file, parsed.error.issues, linesIn(document, lines));
  }
  return parsed.data;
}

function contentOf(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new ConfigError(`${file}: cannot be read: ${messageOf(cause)}`, {
      cause,
      next: 'Write out what the aliases (*name) stand for.',
    });
  }
}

/** Keys that are not there and keys that there are none of, in words; undefined for what zod says itself. */
function textOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return 'is missing';
  }
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return key === undefined ? undefined : `is no key here; ${nameHint(key, known)}`;
}

/** A key that there is none of goes first: a misspelt one is missing, too, and that would not help. */
function misfit(file: string, issues: readonly z.core.$ZodIssue[], lineOf: LineOf): ConfigError {
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys');
  const issue = unknown ?? issues[0];
  const key = unknown?.code === 'unrecognized_keys' ? unknown.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...key].map((step) => (typeof step === 'symbol' ? String(step) : step));
  const line = innermost(path, lineOf);
  const place = line === undefined ? file : `${file}:${line}`;
  return new ConfigError(`${place}: ${path.join('.') || 'the file'}: ${issue?.message ?? 'is malformed'}`, {
    next: unknown === undefined ? SEE_KEYS : MEND_KEY,
  });
}

const SEE_KEYS = 'docs/extending.md shows every key of this file.';

const MEND_KEY =
  'Mend or remove the key. Where the file is written for a newer Wiregauge, take that one: `uses: wiregauge/wiregauge@<version>`.';

/** The line of the innermost thing on a path that is there. */
function innermost(path: readonly (string | number)[], lineOf: LineOf): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const line = lineOf(path.slice(0, length));
    if (line !== undefined) {
      return line;
    }
  }
  return undefined;
}
