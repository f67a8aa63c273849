import packageFile from '../package.json' with { type: 'json' };

const sortable = (version: string): string =>
  version
    .split('.')
    .map((part) => part.padStart(3))
    .join();
const needed = packageFile.engines.node.replace('>=', '');

if (sortable(process.versions.node) < sortable(needed)) {
  process.stderr.write(`wiregauge: needs Node.js ${needed} or newer, but this is ${process.version}\n`);
  process.exitCode = 2;
} else {
  // An older Node.js could not read them.
  const { tellLostOutput } = await import('./commands/program/failure.ts');
  const { runCommandLine } = await import('./commands/program/program.ts');
  const { exitAtSignals } = await import('./host/signals.ts');
  const { surviveLossOfOutput } = await import('./host/terminal/output.ts');
  exitAtSignals();
  const lost = surviveLossOfOutput();
  process.exitCode = tellLostOutput(await runCommandLine(process.argv.slice(2)), await lost());
}
