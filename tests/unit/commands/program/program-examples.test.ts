import { describe, expect, it } from 'vitest';
import { commandLine, EXAMPLES } from '../../../../src/commands/program/program.ts';
import { allCommands } from '../../../support/all-commands.ts';
import { reachedCommand } from '../../../support/reached-command.ts';

const all = allCommands(commandLine(() => undefined));
const examples = Object.entries(EXAMPLES).flatMap(([path, list]) => list.map(([call]) => ({ path, call })));

describe('the examples in the help', () => {
  it('are there for the program and every command without others below it', () => {
    const own = all.filter(({ path, command }) => path === '' || command.commands.length === 0);

    expect(Object.keys(EXAMPLES).sort()).toEqual(own.map(({ path }) => path).sort());
    for (const list of Object.values(EXAMPLES)) {
      expect(list.length).toBeGreaterThan(0);
    }
  });

  it.each(examples)('are taken by the program: $call', async ({ path, call }) => {
    const reached = await reachedCommand(call);

    expect(reached === path || reached?.startsWith(`${path} `) || path === '').toBe(true);
    expect(reached).toBeDefined();
  });

  it.each(['compare --base main --bugdet 3m', 'history list --last many', 'publish --to check out/run.json'])(
    'would be refused with a mistake: %s',
    async (call) => {
      await expect(reachedCommand(call)).rejects.toThrow();
    },
  );
});

describe('--json', () => {
  it('is a flag of every command but those that print a document anyway', () => {
    const without = all
      .filter(({ command }) => command.commands.length === 0)
      .filter(({ command }) => !command.options.some(({ long }) => long === '--json'))
      .map(({ path }) => path);

    expect(without).toEqual(['history export', 'completion']);
  });
});
