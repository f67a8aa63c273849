import { z } from 'zod';
import type { Unjudged } from './unjudged.ts';

/** The file that says why a commit was not judged, beside run.json or in its place: for the second stage of a fork. */
export const CAUSE_FILE = 'unjudged.json';

const schema = z.object({
  cause: z.string().min(1).max(4000),
  printed: z.string().max(8000).optional(),
  next: z.string().max(4000).optional(),
});

/** The text of that file. */
export function formatCause({ cause, printed, next }: Unjudged): string {
  return `${JSON.stringify({ cause: cause.slice(0, 4000), printed: printed?.slice(0, 8000), next: next?.slice(0, 4000) })}\n`;
}

/** Reads that file, which may be a stranger's; undefined if it is none. Never throws. */
export function parseCause(text: string): Omit<Unjudged, 'head'> | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Whoever writes it may write anything; it only loses the cause.
    return undefined;
  }
}
