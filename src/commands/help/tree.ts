import type { Argument, Command, Option } from 'commander';
import { allCommands } from '../program/help.ts';
import { topicNames } from './topics.ts';

/** What may stand in a place of a command line. */
export type CompletionValues =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Known only if the shell is; services are a list with commas. */
  | { readonly kind: 'suites' | 'services' | 'refs' | 'files' | 'folders' }
  /** Anything: nothing is offered. */
  | { readonly kind: 'free' };

/** A flag that can be completed. */
export interface CompletedFlag {
  readonly flag: string;
  readonly about: string;
  /** undefined: it takes none. */
  readonly values: CompletionValues | undefined;
}

/** A command with all that can follow it. */
export interface CompletedCommand {
  readonly path: string;
  readonly about: string;
  /** Its own commands, by name. */
  readonly commands: readonly Pick<CompletedCommand, 'path' | 'about'>[];
  readonly flags: readonly CompletedFlag[];
  readonly values: CompletionValues;
}

/** What every script is made from: the program and all its commands. */
export function completionTree(program: Command): readonly CompletedCommand[] {
  return allCommands(program).map(({ path, command }) => ({
    path,
    about: command.description(),
    commands: command.commands.map((one) => ({
      path: `${path} ${one.name()}`.trim(),
      about: one.description(),
    })),
    flags: [...command.createHelp().visibleOptions(command)].flatMap(flagOf),
    values: argumentValues(path, command.registeredArguments),
  }));
}

/** The last word of a path. */
export function nameOf(path: string): string {
  return path.split(' ').at(-1) ?? path;
}

function flagOf(option: Option): readonly CompletedFlag[] {
  const { long, description, required, optional } = option;
  const values = required || optional ? optionValues(option) : undefined;
  return long === undefined ? [] : [{ flag: long, about: description, values }];
}

function optionValues({ long, flags, argChoices }: Option): CompletionValues {
  if (argChoices !== undefined) {
    return { kind: 'words', words: argChoices };
  }
  const named = BY_FLAG[long ?? ''];
  return named === undefined ? placeholderValues(/<([^<>]*?)(\.\.\.)?>/.exec(flags)?.[1] ?? '') : { kind: named };
}

const BY_FLAG: Readonly<Record<string, 'suites' | 'services'>> = { '--suite': 'suites', '--services': 'services' };

/** What a placeholder stands for. */
function placeholderValues(name: string): CompletionValues {
  return { kind: Object.hasOwn(BY_PLACEHOLDER, name) ? (BY_PLACEHOLDER[name] ?? 'free') : 'free' };
}

const BY_PLACEHOLDER: Readonly<Record<string, 'files' | 'folders' | 'refs' | 'services'>> = {
  file: 'files',
  files: 'files',
  'run.json': 'files',
  folder: 'folders',
  path: 'folders',
  ref: 'refs',
  services: 'services',
};

function argumentValues(path: string, given: readonly Argument[]): CompletionValues {
  const [first] = given;
  if (path === 'explain') {
    return { kind: 'words', words: topicNames().filter((name) => !name.includes(' ')) };
  }
  if (first === undefined) {
    return { kind: 'free' };
  }
  return first.argChoices === undefined
    ? placeholderValues(first.name().replace(/\.\.\.$/, ''))
    : { kind: 'words', words: first.argChoices };
}
