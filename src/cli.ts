import { runCommandLine, tellLostOutput } from './commands/index.ts';
import { surviveLossOfOutput } from './host/index.ts';

const lost = surviveLossOfOutput();
process.exitCode = tellLostOutput(await runCommandLine(process.argv.slice(2)), await lost());
