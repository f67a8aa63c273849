import { tellLostOutput } from './commands/program/failure.ts';
import { runCommandLine } from './commands/program/program.ts';
import { surviveLossOfOutput } from './host/index.ts';

const lost = surviveLossOfOutput();
process.exitCode = tellLostOutput(await runCommandLine(process.argv.slice(2)), await lost());
