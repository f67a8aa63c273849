import { commandLine } from '../../src/commands/program/program.ts';
import { allCommands } from './all-commands.ts';

/** The command that a call leads to, with nothing done; rejects for what the program would refuse. */
export async function reachedCommand(call: string): Promise<string | undefined> {
  let reached: string | undefined;
  const program = commandLine(() => undefined);
  for (const { path, command } of allCommands(program).filter((one) => one.command.commands.length === 0)) {
    command.action(() => {
      reached = path;
    });
  }
  const words = [...call.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  await program.parseAsync(words, { from: 'user' });
  return reached;
}
