import type { Command } from 'commander';

/**
 * A hook before the action that refuses a command line without these options, given as `--base`. commander's own required options
 * are looked for before those that there are none of: of `--bas` it would say that `--base` is missing, not ask whether it was meant.
 */
export function requires(...flags: readonly string[]): (command: Command) => void {
  return (command) => {
    const missing = command.options.find(
      (option) => flags.includes(option.long ?? '') && command.getOptionValue(option.attributeName()) === undefined,
    );
    if (missing !== undefined) {
      command.error(`error: required option '${missing.flags}' not specified`);
    }
  };
}
