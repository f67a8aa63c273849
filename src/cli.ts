import { runCommandLine } from './commands/index.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));
