import { parse } from 'yaml';
import { z } from 'zod';
import type { PlacedCommand } from '../src/commands/command-path.ts';

const lineSchema = z.object({ description: z.string(), default: z.string().optional() });
const actionSchema = z.object({
  inputs: z.record(z.string(), lineSchema),
  outputs: z.record(z.string(), lineSchema),
});

/** The README with the tables of the action's inputs and outputs as `action.yml` has them. Throws ZodError for another file. */
export function withTables(readme: string, actionText: string): string {
  const action = actionSchema.parse(parse(actionText));
  return between(between(readme, 'inputs', inputTable(action.inputs)), 'outputs', outputTable(action.outputs));
}

function between(readme: string, kind: string, lines: readonly string[]): string {
  const section = new RegExp(`(<!-- action\\.yml: ${kind} [^\\n]*-->\\n)[\\s\\S]*?(?=<!-- end -->)`);
  return readme.replace(section, (found) => `${found.slice(0, found.indexOf('\n') + 1)}\n${lines.join('\n')}\n\n`);
}

/** The document with the table of these commands. */
export function withCommands(text: string, commands: readonly PlacedCommand[]): string {
  const rows = commands
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => {
      const call = `${path} ${command.usage().replace('[options]', '').trim()}`.trim();
      return [`\`${call}\``, cell(command.description())];
    });
  const section = /(<!-- the program: commands [^\n]*-->\n)[\s\S]*?(?=<!-- end -->)/;
  const lines = table([['command', 'what it does'], ...rows]);
  return text.replace(section, (found) => `${found.slice(0, found.indexOf('\n') + 1)}\n${lines.join('\n')}\n\n`);
}

type Lines = z.infer<typeof actionSchema>['inputs'];

function inputTable(lines: Lines): readonly string[] {
  const rows = Object.entries(lines).map(([name, line]) => {
    const usual = line.default === undefined ? '' : `\`${line.default.replace(/^\$\{\{ (.*) \}\}$/, '$1')}\``;
    return [`\`${name}\``, cell(line.description), usual];
  });
  return table([['input', 'what it says', 'default'], ...rows]);
}

function outputTable(lines: Lines): readonly string[] {
  const rows = Object.entries(lines).map(([name, { description }]) => [`\`${name}\``, cell(description)]);
  return table([['output', 'what it is'], ...rows]);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** In columns of equal width, as the formatter wants them. */
function table([head = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = ' '): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, filler)).join(' | ')} |`;
  return [line(head), line([], '-'), ...rows.map((row) => line(row))];
}
