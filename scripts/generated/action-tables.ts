import { parse } from 'yaml';
import { z } from 'zod';
import { INPUTS } from '../../src/commands/action/inputs.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

const lineSchema = z.object({ description: z.string(), default: z.string().optional() });
const actionSchema = z.object({
  inputs: z.record(z.string(), lineSchema),
  outputs: z.record(z.string(), lineSchema),
});

/** Document with the tables of the action's inputs and outputs in `action.yml`. Throws ZodError for another file. */
export function withTables(text: string, actionText: string): string {
  const action = actionSchema.parse(parse(actionText));
  const filled = withGenerated(text, 'action.yml: inputs', inputTable(action.inputs));
  return withGenerated(filled, 'action.yml: outputs', outputTable(action.outputs));
}

/** `action.yml` with its inputs from the action's table. */
export function withInputs(text: string): string {
  const plain = (value: string): string =>
    /^[A-Za-z](?!.*: )[^"`#]*$/.test(value) && !['true', 'false'].includes(value) ? value : JSON.stringify(value);
  const lines = Object.entries(INPUTS).flatMap(([name, row]) => [
    `  ${name}:`,
    `    description: ${plain(row.help)}`,
    ...('usual' in row ? [`    default: ${row.usual.startsWith('$') ? row.usual : plain(row.usual)}`] : []),
  ]);
  return text.replace(/(?<=\ninputs:\n)[\s\S]*?(?=\noutputs:)/, `${lines.join('\n')}\n`.replaceAll('$', '$$$$'));
}

type Lines = z.infer<typeof actionSchema>['inputs'];

function inputTable(lines: Lines): readonly string[] {
  const rows = Object.entries(lines).map(([name, line]) => {
    const usual =
      line.default === undefined ? '' : ` Default: \`${line.default.replace(/^\$\{\{ (.*) \}\}$/, '$1')}\`.`;
    return [`\`${name}\``, `${cell(line.description)}${usual}`];
  });
  return table([['input', 'meaning'], ...rows]);
}

function outputTable(lines: Lines): readonly string[] {
  const rows = Object.entries(lines).map(([name, { description }]) => [`\`${name}\``, cell(description)]);
  return table([['output', 'meaning'], ...rows]);
}
