import { EnvironmentError } from '../../foundation/index.ts';
import type { Counts } from '../port.ts';

/** Adds counts up. */
export function sumOfCounts(counts: readonly Counts[]): Counts {
  return counts.reduce(
    (sum, { instructions, syscalls }) => ({
      instructions: sum.instructions + instructions,
      syscalls: sum.syscalls + syscalls,
    }),
    { instructions: 0, syscalls: 0 },
  );
}

/**
 * What a file of callgrind counted in all: `events:` names the columns, and `summary:` (of a dump) or `totals:` (of all of them) has one
 * number for each. Throws EnvironmentError for a text without them, as it is if it was cut short.
 */
export function parseCounts(text: string): Counts {
  const names = wordsAfter('events', text);
  const numbers = wordsAfter('totals', text) ?? wordsAfter('summary', text);
  const of = (name: string): number => Number(numbers?.[names?.indexOf(name) ?? -1] ?? 0);
  if (names === undefined || numbers === undefined || !names.includes('Ir') || !Number.isSafeInteger(of('Ir'))) {
    throw new EnvironmentError('a file of callgrind has no sum of its counts', {
      next: 'Is the disk of the temporary folder full? Free some space or set TMPDIR to another disk.',
    });
  }
  return { instructions: of('Ir'), syscalls: of('sysCount') };
}

function wordsAfter(key: string, text: string): readonly string[] | undefined {
  return new RegExp(`^${key}: *(.*)$`, 'm').exec(text)?.[1]?.trim().split(/ +/);
}
