import type { Command } from 'commander';
import { print } from '../../host/terminal/output.ts';
import { topicsOf } from '../help/topics.ts';
import type { CallExample } from './command.ts';
import { withNearOptions } from './failure.ts';

/** Widest call that shares a line with its description. */
const WIDEST_CALL = 36;

/** Adds examples and exit codes to the help of a command and those below it; `path` is the name after the program's: "history list". */
export function withHelp(
  command: Command,
  examples: Readonly<Record<string, readonly CallExample[]>>,
  isBrief: boolean,
  path = '',
): Command {
  for (const below of command.commands) {
    withHelp(below, examples, isBrief, `${path} ${below.name()}`.trim());
  }
  const rare = isBrief ? command.options.filter(({ long }) => RARE.has(long ?? '')) : [];
  for (const option of rare) {
    option.hideHelp();
  }
  if (rare.length > 0) {
    const more = rare.length === 1 ? '1 more option' : `${rare.length} more options`;
    command.addHelpText('after', `\n${more}: wiregauge ${path} --help --all`);
  }
  // A command without examples shows the first one of each subcommand.
  const firsts = command.commands.flatMap((below) => examples[`${path} ${below.name()}`]?.slice(0, 1) ?? []);
  command.addHelpText('after', examplesText(examples[path] ?? firsts));
  if (path === '') {
    const exitCodes = topicsOf('exit code').map(({ name, says }) => `  ${name.padEnd(3)}  ${says['meaning'] ?? ''}`);
    const all = isBrief ? '\nAll commands and options: wiregauge --help --all\n' : '';
    command.addHelpText('after', `${all}\nExit codes:\n${exitCodes.join('\n')}`);
  }
  return command.configureOutput({
    writeOut: (text) => print(text),
    writeErr: (text) => print(text, 'err'),
    // Starts like every other message.
    outputError: (text, write) => write(withNearOptions(text.replace(/^error: /, 'wiregauge: '))),
  });
}

/** Options that only `--help --all` shows: for workflows, common to all commands, or rarely used. */
const RARE: ReadonlySet<string> = new Set(
  [
    '--json --verbose --seed --wait --rounds --interleave --profiler --confirm-all --shard --mode --no-versus --on-suspicion --step',
    '--always --merge-base --anchor --benchmarks --metric --alpha --samples --allow-lost',
    '--pull-request --comment-id --run-url --report-url --merge-request --name --artifact --check --alert-issue --alert-webhook',
    '--remote --branch --branch-folder --folder --create-branch --allow-dirty --if-allowed --default-branch --change-points',
    '--commit --at',
  ].flatMap((names) => names.split(' ')),
);

function examplesText(examples: readonly CallExample[]): string {
  const lines = examples.map(([call, does]) =>
    call.length <= WIDEST_CALL
      ? `  wiregauge ${call.padEnd(WIDEST_CALL)}  ${does}`
      : `  wiregauge ${call}\n${' '.repeat('  wiregauge '.length + WIDEST_CALL)}  ${does}`,
  );
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}
