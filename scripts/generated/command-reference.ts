import type { Argument, Option } from 'commander';
import type { CallExample } from '../../src/commands/program/command.ts';
import type { PlacedCommand } from '../../src/commands/program/help.ts';
import { EXAMPLES } from '../../src/commands/program/program.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

/** The document with a section for each of these commands: what it does, its arguments, its flags, examples. */
export function withCommandReference(text: string, commands: readonly PlacedCommand[]): string {
  const sections = commands.filter(({ command }) => command.commands.length === 0).map(sectionOf);
  return withGenerated(text, 'the program: every command', sections.join('\n\n').split('\n'));
}

/** A command as it is called, without the program's name and its flags: "history show <run>". */
function callOf({ path, command }: PlacedCommand): string {
  return `${path} ${command.usage().replace('[options]', '').trim()}`.trim();
}

function sectionOf(placed: PlacedCommand): string {
  const { path, command } = placed;
  const examples = EXAMPLES[path] ?? [];
  return [
    `## ${path}`,
    `\`wiregauge ${callOf(placed)}\`: ${cell(command.description())}.`,
    ...listed('argument', command.registeredArguments.map(argumentRow)),
    ...listed('flag', command.options.map(optionRow)),
    ...(examples.length === 0 ? [] : [exampleBlock(examples)]),
  ].join('\n\n');
}

function listed(what: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : [table([[what, 'default', 'meaning'], ...rows]).join('\n')];
}

function argumentRow(argument: Argument): readonly string[] {
  const { required, variadic, defaultValue } = argument;
  const name = `${argument.name()}${variadic ? '...' : ''}`;
  const usual = defaultValue === undefined ? '' : `\`${String(defaultValue)}\``;
  return [`\`${name}\``, required ? 'required' : usual, cell(withChoices(argument.description, argument.argChoices))];
}

function optionRow({ flags, description, argChoices, mandatory, ...option }: Option): readonly string[] {
  const value: unknown = option.defaultValueDescription ?? option.defaultValue;
  const usual = value === undefined ? '' : `\`${String(value)}\``;
  return [`\`${flags}\``, mandatory ? 'required' : usual, cell(withChoices(description, argChoices))];
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  const named = (choices ?? []).map((choice) => `\`${choice}\``).join(', ');
  return [description, named].filter((part) => part !== '').join(': ');
}

function exampleBlock(examples: readonly CallExample[]): string {
  const widest = Math.max(...examples.map(([call]) => call.length));
  const lines = examples.map(([call, does]) => `wiregauge ${call.padEnd(widest)}  # ${does}`);
  return ['```sh', ...lines, '```'].join('\n');
}
