import type { Command, Option } from 'commander';
import { print } from '../../host/terminal/output.ts';
import { topicsOf } from '../help/topics.ts';
import type { CallExample } from './command.ts';
import { withNearOptions } from './failure.ts';

/** Widest call that shares a line with its description. */
const WIDEST_CALL = 36;

/** Adds examples and exit codes to the help of each command. */
export function withHelp(
  program: Command,
  examples: Readonly<Record<string, readonly CallExample[]>>,
  isBrief: boolean,
): Command {
  for (const { path, command } of placedCommands(program, ({ commands }) => commands)) {
    const rare = isBrief ? command.options.filter(isRare) : [];
    for (const option of rare) {
      option.hideHelp();
    }
    if (rare.length > 0) {
      const more = rare.length === 1 ? '1 more option' : `${rare.length} more options`;
      command.addHelpText('after', `\n${more}: wiregauge ${path} --help --all`);
    }
    command.addHelpText('after', examplesText(examples[path] ?? []));
    command.configureOutput({
      writeOut: (text) => print(text),
      writeErr: (text) => print(text, 'err'),
      // Starts like every other message.
      outputError: (text, write) => write(withNearOptions(text.replace(/^error: /, 'wiregauge: '))),
    });
  }
  if (isBrief) {
    program.addHelpText('after', '\nAll commands and options: wiregauge --help --all');
  }
  const exitCodes = topicsOf('exit code').map(({ name, says }) => `  ${name.padEnd(3)}  ${says['meaning'] ?? ''}`);
  return program.addHelpText('after', `\nExit codes:\n${exitCodes.join('\n')}`);
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

/** True for an option that only `--help --all` shows. */
function isRare({ long }: Option): boolean {
  return RARE.has(long ?? '');
}

function examplesText(examples: readonly CallExample[]): string {
  const lines = examples.map(([call, does]) =>
    call.length <= WIDEST_CALL
      ? `  wiregauge ${call.padEnd(WIDEST_CALL)}  ${does}`
      : `  wiregauge ${call}\n${' '.repeat('  wiregauge '.length + WIDEST_CALL)}  ${does}`,
  );
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}

/** Command with its path after the program's name: "history list"; '' is the program itself. */
export interface PlacedCommand {
  readonly path: string;
  readonly command: Command;
}

/** Commands with those below them, each before its own. */
export function placedCommands(
  command: Command,
  belowOf: (one: Command) => readonly Command[],
  path = '',
): readonly PlacedCommand[] {
  const below = belowOf(command).flatMap((one) => placedCommands(one, belowOf, `${path} ${one.name()}`.trim()));
  return [{ path, command }, ...below];
}
