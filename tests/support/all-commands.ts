import type { Command } from 'commander';

/** A command with its path after the program's name: "history list"; '' is the program itself. */
interface PlacedCommand {
  readonly path: string;
  readonly command: Command;
}

/** A command and all below it. */
export function allCommands(command: Command, path = ''): readonly PlacedCommand[] {
  const below = command.commands.flatMap((one) => allCommands(one, `${path} ${one.name()}`.trim()));
  return [{ path, command }, ...below];
}
