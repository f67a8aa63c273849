import { Command } from 'commander';

/** Call without the program's name, and its effect. */
export type CallExample = readonly [call: string, does: string];

export interface CommandFile {
  /** Heading in `wiregauge --help`. */
  readonly group: string;
  /** Examples by command path: "history list". A test parses each. */
  readonly examples: Readonly<Record<string, readonly CallExample[]>>;
  /** Makes the command; `end` receives its exit code. */
  readonly make: (end: (exitCode: number) => void) => Command;
}

/** Command that only has others below it. */
export function parentCommand(name: string, description: string): Command {
  // Before adding commands, which copy these settings.
  return new Command(name).exitOverride().showSuggestionAfterError().description(description).helpCommand(false);
}
