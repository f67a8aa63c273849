import type { Argument, Option } from 'commander';
import type { PlacedCommand } from '../../src/commands/program/help.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

const HEAD = ['name', 'meaning'];

/** Commands with a table of their options; for the others, `--help` explains them. */
const EXPLAINED = ['init', 'compare', 'run', 'versus', 'report'];

/** The document with a table of the options that several commands share, and a section for each of these commands. */
export function withCommandReference(text: string, commands: readonly PlacedCommand[]): string {
  const leaves = commands.filter(({ command }) => command.commands.length === 0);
  const rows = leaves.flatMap(({ command }) => command.options.map(optionRow));
  const keys = rows.map((row) => row.join());
  const shared = new Map(
    rows.map((row) => [row.join(), row] as const).filter(([key]) => keys.indexOf(key) < keys.lastIndexOf(key)),
  );
  const lines = ['## Shared options', table([HEAD, ...shared.values()]).join('\n')];
  const sections = leaves.map((placed) => sectionOf(placed, new Set(shared.keys())));
  return withGenerated(text, 'the program: every command', [...lines, ...sections].join('\n\n').split('\n'));
}

/** A command as it is called, without the program's name and its flags: "history show <run>". */
function callOf({ path, command }: PlacedCommand): string {
  return `${path} ${command.usage().replace('[options]', '').trim()}`.trim();
}

function sectionOf(placed: PlacedCommand, shared: ReadonlySet<string>): string {
  const { path, command } = placed;
  const options = command.options.map(optionRow);
  const own = [...command.registeredArguments.map(argumentRow), ...options.filter((row) => !shared.has(row.join()))];
  const isExplained = EXPLAINED.includes(path);
  const named = isExplained ? options.filter((row) => shared.has(row.join())) : options;
  const names = named.map(([name = '']) => name.replace(/ .*/, '`')).join(', ');
  return [
    `## ${path}`,
    `\`wiregauge ${callOf(placed)}\`: ${cell(command.description())}.${names === '' ? '' : ` Options: ${names}.`}`,
    ...(isExplained && own.length > 0 ? [table([HEAD, ...own]).join('\n')] : []),
  ].join('\n\n');
}

function argumentRow(argument: Argument): readonly string[] {
  const name = `\`${argument.name()}${argument.variadic ? '...' : ''}\``;
  return [name, meaningOf(argument, argument.required ? 'required' : defaultText(argument.defaultValue))];
}

function optionRow({ flags, mandatory, ...option }: Option): readonly string[] {
  const value: unknown = option.defaultValueDescription ?? option.defaultValue;
  return [`\`${flags}\``, meaningOf(option, mandatory ? 'required' : defaultText(value))];
}

function defaultText(value: unknown): string {
  return value === undefined ? '' : `default: \`${String(value)}\``;
}

function meaningOf(
  {
    description,
    argChoices = [],
  }: { readonly description: string; readonly argChoices?: readonly string[] | undefined },
  more: string,
): string {
  const choices = argChoices.map((choice) => `\`${choice}\``).join(', ');
  const said = [description, choices].filter((part) => part !== '').join(': ');
  return cell([said, more].filter((part) => part !== '').join('; '));
}
