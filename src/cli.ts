import packageFile from '../package.json' with { type: 'json' };

const sortable = (version: string): string =>
  version
    .split('.')
    .map((part) => part.padStart(3))
    .join();
const needed = packageFile.engines.node.replace('>=', '');

// Imports nothing else, so that an older Node.js can load it.
const { printLine, surviveLossOfOutput } = await import('./host/terminal/output.ts');

if (sortable(process.versions.node) < sortable(needed)) {
  printLine(`wiregauge: needs Node.js ${needed} or newer, but this is ${process.version}`, 'err');
  process.exitCode = 2;
} else {
  // An older Node.js could not load these.
  const { reportFailure, reportLostOutput } = await import('./commands/program/failure.ts');
  const { runCommandLine } = await import('./commands/program/program.ts');
  const { exitAtSignals } = await import('./host/signals.ts');
  process.once('uncaughtException', (thrown) => process.exit(reportFailure(thrown, 'err')));
  exitAtSignals();
  const lost = surviveLossOfOutput();
  process.exitCode = reportLostOutput(await runCommandLine(process.argv.slice(2)), await lost());
}
