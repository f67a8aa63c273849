import { vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import type { CommandEnd } from '../integration/project.ts';

/** What the command line does for somebody in a folder, called in this program: to start it takes longer than most commands do. */
export function calledIn(folder: string, argv: readonly string[]): Promise<CommandEnd> {
  return printedIn(folder, () => runCommandLine(argv));
}

/** What a call prints that takes a folder for the current one, and its exit code. */
export async function printedIn(folder: string, call: () => Promise<number>): Promise<CommandEnd> {
  const before = process.cwd();
  const printed = { stdout: '', stderr: '' };
  const into = (stream: keyof typeof printed) => (text: unknown) => {
    printed[stream] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('stderr')),
  ];
  process.chdir(folder);
  try {
    const exitCode = await call();
    return { exitCode, ...printed };
  } finally {
    process.chdir(before);
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
}
