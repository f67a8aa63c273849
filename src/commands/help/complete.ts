import { join } from 'node:path';
import type { Command } from 'commander';
import { withFallback } from '../../foundation/errors.ts';
import { namesIn } from '../../host/files/repository.ts';
import { runGit } from '../../host/git/git.ts';
import { topicNames } from './topics.ts';

/** Words that may follow, each with a description; or the line that leaves files or folders to the shell. */
type Offers = readonly (readonly [word: string, about: string])[] | ':files' | ':folders';

/** Kinds of values that can be completed, by placeholder. Names are separated by commas. */
const KINDS: Readonly<Record<string, 'files' | 'folders' | 'suites' | 'services' | 'refs' | 'topics'>> = {
  '--suite <name>': 'suites',
  '--services <names>': 'services',
  services: 'services',
  file: 'files',
  files: 'files',
  'run.json': 'files',
  folder: 'folders',
  path: 'folders',
  ref: 'refs',
  topic: 'topics',
};

/** Characters that no shell expands or runs: names of files and branches are untrusted. */
const PLAIN = /^[A-Za-z0-9._/@+-]+$/;

/**
 * Completions of the last word after the program's name, as `wiregauge __complete` prints them: one per line, with a tab before the description, or
 * a line that leaves it to the shell.
 */
export async function completionsOf(program: Command, given: readonly string[]): Promise<readonly string[]> {
  // Bash splits "--suite=us" into three words.
  const words = [...given.filter((word) => word !== '='), ...(given.at(-1) === '=' ? [''] : [])];
  const current = words.at(-1) ?? '';
  const command = words
    .slice(0, -1)
    .reduce((one, word) => one.commands.find((own) => own.name() === word) ?? one, program);
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const [flag, value] = /^--[^=]+=/.test(current)
    ? [current.split('=')[0], current.replace(/^[^=]*=/, '')]
    : [words.at(-2), current];
  const option = options.find((one) => one.long === flag && (one.required || one.optional));
  const [argument] = command.registeredArguments;
  let offers: Offers = [];
  if (option !== undefined) {
    offers = await valuesOf(
      KINDS[option.flags] === undefined ? (/<([^<>]*?)(\.\.\.)?>/.exec(option.flags)?.[1] ?? '') : option.flags,
      option.argChoices,
      words,
    );
  } else if (current.startsWith('-')) {
    offers = options.flatMap(({ long, description }) => (long ? [[long, description] as const] : []));
  } else if (command.commands.length > 0) {
    offers = help.visibleCommands(command).map((one) => [one.name(), one.description()] as const);
  } else if (argument !== undefined) {
    offers = await valuesOf(argument.name(), argument.argChoices, words);
  }
  if (typeof offers === 'string') {
    return [offers];
  }
  const typed = value.slice(value.lastIndexOf(',') + 1);
  const before = current.slice(0, current.length - typed.length);
  return offers
    .filter(([word]) => word.startsWith(typed) && PLAIN.test(word))
    .map(([word, about]) => `${before}${word}\t${about}`);
}

async function valuesOf(
  what: string,
  choices: readonly string[] | undefined,
  words: readonly string[],
): Promise<Offers> {
  const kind = Object.hasOwn(KINDS, what) ? KINDS[what] : undefined;
  if (choices === undefined && (kind === 'files' || kind === 'folders')) {
    return `:${kind}`;
  }
  return (choices ?? (await namesOf(kind, words))).map((word) => [word, '']);
}

async function namesOf(kind: string | undefined, words: readonly string[]): Promise<readonly string[]> {
  const folder = process.cwd();
  const suite = words.find((_word, place) => words[place - 1] === '--suite');
  switch (kind) {
    case 'suites':
      return namesIn(join(folder, 'suites'), '*.yml');
    case 'services':
      // Completion prints no messages about an invalid configuration.
      return (await withFallback(async () => (await import('../../project/suite.ts')).servicesIn(folder, suite))) ?? [];
    case 'refs':
      return (
        await runGit(folder, ['for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/tags', 'refs/remotes'])
      ).output.split('\n');
    case 'topics':
      return topicNames();
    default:
      return [];
  }
}
