import type { Command, Option } from 'commander';
import { print } from '../../host/terminal/output.ts';
import { topicsOf } from '../help/topics.ts';
import type { CallExample } from './command.ts';
import { withNearOptions } from './failure.ts';

/** Longer calls have a line of their own. */
const WIDEST_CALL = 36;

/** The program with examples of each command by its path, and what its exit codes mean. */
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
      // As every other message begins.
      outputError: (text, write) => write(withNearOptions(text.replace(/^error: /, 'wiregauge: '))),
    });
  }
  if (isBrief) {
    program.addHelpText('after', '\nAll commands and options: wiregauge --help --all');
  }
  return program.addHelpText('after', exitCodesText());
}

/** Options that only `--help --all` shows: those of workflows, those of every command, and rare ways to measure. */
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
export function isRare({ long }: Option): boolean {
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

function exitCodesText(): string {
  const lines = topicsOf('exit code').map(({ name, says }) => `  ${name.padEnd(3)}  ${says['meaning'] ?? ''}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}

/** A command and what it is called after the program's name: "history list"; '' is the program itself. */
export interface PlacedCommand {
  readonly path: string;
  readonly command: Command;
}

/** The program and every command below it that help has, each before its own commands. */
export function allCommands(program: Command): readonly PlacedCommand[] {
  return placedCommands(program, (one) => {
    const shown = one.createHelp().visibleCommands(one);
    return one.commands.filter((own) => shown.includes(own));
  });
}

function placedCommands(
  command: Command,
  belowOf: (one: Command) => readonly Command[],
  path = '',
): readonly PlacedCommand[] {
  const below = belowOf(command).flatMap((one) => placedCommands(one, belowOf, `${path} ${one.name()}`.trim()));
  return [{ path, command }, ...below];
}
