import { runCommandLine } from './commands/program/program.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));
