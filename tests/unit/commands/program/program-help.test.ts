import type { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { budgetSecondsOf } from '../../../../src/commands/program/options.ts';
import { commandLine, runCommandLine } from '../../../../src/commands/program/program.ts';
import { PROFILE_NAMES } from '../../../../src/model/profiles.ts';

afterEach(() => vi.restoreAllMocks());

async function help(...argv: readonly string[]): Promise<string> {
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  expect(await runCommandLine([...argv, '--help'])).toBe(0);
  return printed;
}

describe('the help', () => {
  it('has each command below a heading of its own', async () => {
    const text = await help();

    expect(text).toMatch(/\nMeasure:\n {2}compare /);
    // Where commander puts what no heading names.
    expect(text).not.toContain('\nCommands:');
  });

  it('has nine commands, and every command with --all', async () => {
    const namesIn = (text: string) => [...text.matchAll(/^ {2}([a-z]+) .*(?:\[|<|[A-Z])/gm)].map(([, name]) => name);

    expect(namesIn((await help()).split('Examples:')[0] ?? '')).toEqual(
      'init doctor demo compare run versus report explain help'.split(' '),
    );
    expect(namesIn(await help('--all'))).toEqual(expect.arrayContaining(['saturate', 'shards', 'cache', 'github']));
  });

  it('shows at most 120 options without --all, and counts those that it hides', async () => {
    const walk = (command: Command): number =>
      command.createHelp().visibleOptions(command).length - 1 + command.commands.map(walk).reduce((a, b) => a + b, 0);

    expect(walk(commandLine(() => undefined, true))).toBeLessThanOrEqual(120);
    expect(await help('compare')).toMatch(/\n\d+ more options: wiregauge compare --help --all\n/);
    expect(await help('compare', '--all')).toMatch(/--seed <n>/);
  });

  it('says what exit codes mean', async () => {
    expect(await help()).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}130 /);
  });

  it.each([
    [['history', 'thin'], 'wiregauge history thin --keep 180d --yes'],
    [['publish'], 'wiregauge publish --to check --repository owner/name'],
  ])('has examples of %j', async (argv, call) => {
    expect(await help(...argv)).toMatch(new RegExp(`\\nExamples:\\n[\\s\\S]* {2}${call}\\b`));
  });

  it.each(['compare', 'shards plan'])('gives the budget of %s with its unit', async (command) => {
    expect((await help(...command.split(' '))).replace(/\s+/g, ' ')).toContain(
      'default: 10m, with --profile thorough 30m',
    );
  });

  it('says of the budget what the profiles say, and takes what is given', () => {
    const budgets = PROFILE_NAMES.map((profile) => budgetSecondsOf({ profile }));

    expect(budgets).toEqual([600, 600, 600, 1800]);
    expect(budgetSecondsOf({ profile: 'thorough', budget: 90 })).toBe(90);
  });
});
