/** Prints the contents of the files in `services/` for each service as JSON, for tests that are not in TypeScript. */
import { manifestContents } from './generated/service-table.ts';

process.stdout.write(`${JSON.stringify(manifestContents('.'))}\n`);
