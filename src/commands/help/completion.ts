import type { Command } from 'commander';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CompletedCommand, completionTree } from './tree.ts';
import { zshScript } from './zsh.ts';

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
  process.stdout.write(SCRIPTS[shell](completionTree(program)));
  return 0;
}
