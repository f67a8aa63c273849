import type { Command } from 'commander';

/** A call, without the program's name, and what it does. */
export type CallExample = readonly [call: string, does: string];

/** A command as its file describes it; `program.ts` lists it. */
export interface CommandFile {
  /** Its heading in `wiregauge --help`. */
  readonly group: string;
  /** Examples by the path of the command or of one below it: "history list". A test parses each. */
  readonly examples: Readonly<Record<string, readonly CallExample[]>>;
  /** Returns the command; `end` receives its exit code. */
  readonly make: (end: (exitCode: number) => void) => Command;
}
