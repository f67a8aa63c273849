import { Argument, Command } from 'commander';
import { printScript } from '../../host/index.ts';
import type { CommandFile } from '../program/command.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CompletedCommand, completionTree } from './tree.ts';
import { zshScript } from './zsh.ts';

/** The command line of `wiregauge completion`. */
export const completionCommand: CommandFile = {
  group: 'Learn more:',
  examples: {
    completion: [
      ['completion bash', 'a script for bash: source <(wiregauge completion bash)'],
      ['completion zsh', 'to a file _wiregauge in a folder of $fpath'],
      ['completion fish', 'to ~/.config/fish/completions/wiregauge.fish'],
    ],
  },
  make: (end) => {
    return new Command('completion')
      .description('Print a shell completion script')
      .addArgument(new Argument('<shell>', 'the shell that the script is for').choices(SHELLS))
      .action((shell: Shell, _flags, command: Command) => end(printCompletion(shell, command.parent ?? command)));
  },
};

/** A new shell is one more line. */
const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<
  string,
  (tree: readonly CompletedCommand[]) => string
>;

/** A shell that completes commands: see SCRIPTS. */
export type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

/** `wiregauge completion`: prints the script that has a shell complete the program's commands, flags and names. Exit code 0. */
export function printCompletion(shell: Shell, program: Command): number {
  printScript(SCRIPTS[shell](completionTree(program)));
  return 0;
}
