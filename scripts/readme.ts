import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { allCommands } from '../src/commands/command-path.ts';
import { commandLine } from '../src/commands/program.ts';
import { configSchemaText } from './config-schema.ts';
import { topicsFile } from './doc-topics.ts';
import { withCommands, withTables } from './readme-tables.ts';

// Writes the tables of README.md that come from action.yml, that of docs/cli.md which comes from the program, and what `wiregauge explain`
// knows from the documents, and the schema of wiregauge.yml; CI fails where one is stale.
await writeFile('schema/wiregauge.schema.json', configSchemaText());
const readme = await readFile('README.md', 'utf8');
await writeFile('README.md', withTables(readme, await readFile('action.yml', 'utf8')));
const commands = allCommands(commandLine(() => undefined));
await writeFile('docs/cli.md', withCommands(await readFile('docs/cli.md', 'utf8'), commands));
await writeFile(
  'src/commands/explain-topics.json',
  topicsFile((file) => readFileSync(file, 'utf8')),
);
