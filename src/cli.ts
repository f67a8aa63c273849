import { runCommandLine } from './commands/index.ts';
import { ignoreClosedPipe } from './host/index.ts';

ignoreClosedPipe(process.stdout);
process.exitCode = await runCommandLine(process.argv.slice(2));
