import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const EXAMPLES = [
  'examples/minimal/.github/workflows/performance.yml',
  'examples/minimal/.github/workflows/performance-command.yml',
  'examples/history/.github/workflows/history.yml',
];

/** JSON with the texts of the workflows that `wiregauge init` writes, by name. */
export function workflowsFile(): string {
  const texts = EXAMPLES.map((file) => [basename(file, '.yml'), readFileSync(file, 'utf8')]);
  return `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`;
}
