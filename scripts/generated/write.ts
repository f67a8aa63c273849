import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { GENERATED } from './documents.ts';
import { configSchemaText } from './schema/schema.ts';
import { topicsFile } from './topics.ts';

// Writes what documents repeat of the source: the tables of action.yml, of the program, of the schema of wiregauge.yml and of the metrics, the
// schema as a file, and what `wiregauge explain` knows from the documents; tests fail if one is stale.
await writeFile('schema/wiregauge.schema.json', configSchemaText());
for (const [file, fill] of Object.entries(GENERATED)) {
  await writeFile(file, fill(await readFile(file, 'utf8')));
}
await writeFile(
  'generated/explain-topics.json',
  topicsFile((file) => readFileSync(file, 'utf8')),
);
