import type { z } from 'zod';
import { plainText } from './history-store/plain-text.ts';

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
