import type { Command } from 'commander';

/** A command and what it is called after the program's name: "history list"; '' is the program itself. */
export interface PlacedCommand {
  readonly path: string;
  readonly command: Command;
}

/** The program and every command below it, each before its own commands. */
export function allCommands(command: Command, path = ''): readonly PlacedCommand[] {
  const below = command.commands.flatMap((one) => allCommands(one, `${path} ${one.name()}`.trim()));
  return [{ path, command }, ...below];
}
