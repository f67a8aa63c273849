import { readFile, writeFile } from 'node:fs/promises';
import { withTables } from './readme-tables.ts';

// Writes the tables of README.md that come from action.yml; CI fails where they are stale.
const readme = await readFile('README.md', 'utf8');
await writeFile('README.md', withTables(readme, await readFile('action.yml', 'utf8')));
