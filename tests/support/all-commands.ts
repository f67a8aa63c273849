import type { Command } from 'commander';
import { type PlacedCommand, placedCommands } from '../../src/commands/program/help.ts';

/** All commands that help lists, each before its own subcommands. */
export function allCommands(program: Command): readonly PlacedCommand[] {
  return placedCommands(program, (one) => {
    const shown = one.createHelp().visibleCommands(one);
    return one.commands.filter((own) => shown.includes(own));
  });
}
