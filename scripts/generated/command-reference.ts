import { isRare, type PlacedCommand } from '../../src/commands/program/help.ts';
import { cell, withGenerated } from './markdown-table.ts';

/** The document with a section for each of these commands: its call, its description and the names of its usual options. */
export function withCommandReference(text: string, commands: readonly PlacedCommand[]): string {
  const sections = commands.filter(({ command }) => command.commands.length === 0).map(sectionOf);
  return withGenerated(text, 'the program: every command', sections.join('\n\n').split('\n'));
}

function sectionOf({ path, command }: PlacedCommand): string {
  const call = `${path} ${command.usage().replace('[options]', '').trim()}`.trim();
  const names = command.options
    .filter((option) => !isRare(option) && !option.hidden)
    .map(({ long }) => `\`${long}\``)
    .join(', ');
  return [
    `## ${path}`,
    `\`wiregauge ${call}\`: ${cell(command.description())}.`,
    ...(names === '' ? [] : [names]),
  ].join('\n\n');
}
