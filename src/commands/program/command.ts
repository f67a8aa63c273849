import { Command } from 'commander';

/** Call without the program's name, and its effect. */
export type CallExample = readonly [call: string, does: string];

/** Makes a command; `end` receives its exit code, which is 0 otherwise. */
export type CommandMaker = (end: (code: number | { readonly exitCode: number }) => void) => Command;

/** Commands under a heading of `wiregauge --help`. */
export interface CommandGroup {
  readonly heading: string;
  /** Examples by command path: "history list". A test parses each. */
  readonly examples: Readonly<Record<string, readonly CallExample[]>>;
  readonly commands: readonly CommandMaker[];
}

/** Command that only has others below it. */
export function parentOf(name: string, description: string, below: readonly CommandMaker[]): CommandMaker {
  return (end) => {
    const parent = new Command(name).description(description).helpCommand(false);
    parent.exitOverride().showSuggestionAfterError();
    for (const make of below) {
      parent.addCommand(make(end).copyInheritedSettings(parent));
    }
    return parent;
  };
}

/** What commands do. Loading it takes most of a start, and help, completion and mistakes in options need none of it. */
export const actions = () => import('./actions.ts');
