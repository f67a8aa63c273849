import { runCommandLine, tellLostOutput } from './commands/index.ts';
import { surviveLoss } from './host/index.ts';

const lost = surviveLoss(process.stdout);
surviveLoss(process.stderr);
process.exitCode = tellLostOutput(await runCommandLine(process.argv.slice(2)), await lost());
