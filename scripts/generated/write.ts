import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { GENERATED } from './documents.ts';
import { errorMessages } from './messages.ts';
import { reportPageFile } from './report-page.ts';
import { configSchemaText } from './schema/schema.ts';
import { topicsFile } from './topics.ts';
import { workflowsFile } from './workflows.ts';

// Writes everything in documents that repeats the source: the tables of action.yml, of the program, of the schema of wiregauge.yml and of the
// metrics, the schema as a file, the topics of `wiregauge explain`, the style and script of an HTML report, and the workflows of examples that
// `wiregauge init` writes; tests fail if one is stale.
await writeFile('schema/wiregauge.schema.json', configSchemaText());
for (const [file, fill] of Object.entries(GENERATED)) {
  await writeFile(file, fill(await readFile(file, 'utf8')));
}
await writeFile('generated/report-page.json', await reportPageFile());
await writeFile('generated/workflows.json', workflowsFile());
await writeFile(
  'generated/explain-topics.json',
  topicsFile((file) => readFileSync(file, 'utf8'), errorMessages()),
);
