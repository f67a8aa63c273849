import { isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { ConfigError, messageOf } from '../core/errors.ts';

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
  const parsed = schema.safeParse(contentOf(document, file));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.map(String) ?? [];
    const offset = offsetOf(document, path);
    const place = offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
    throw new ConfigError(`${place}: ${path.join('.') || 'the file'}: ${issue?.message ?? 'is malformed'}`, {
      next: 'docs/extending.md shows every key of this file.',
    });
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

/** Where the innermost existing node of a path begins in the text. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly string[]): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(keysOf(path.slice(0, length)), true);
    if (isNode(node) && node.range) {
      return node.range[0];
    }
  }
  return undefined;
}

/** yaml looks array items up by number. */
function keysOf(path: readonly string[]): (string | number)[] {
  return path.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}
