import { CommanderError } from 'commander';
import { KnownError, shownText } from '../../foundation/index.ts';
import { fullDisk, isInWorkflow, withoutCommands, workflowCommand } from '../../host/index.ts';

/** 0 as planned, 1 regressed by policy, 2 could not measure or was misused. */
const COULD_NOT = 2;

/**
 * The one place where errors end, on standard error: known ones as a message and what to do next, others with their stack. In a
 * workflow the message is a command on `log` as well, either of the standard streams.
 */
export function tellFailure(thrown: unknown, log: NodeJS.WriteStream = process.stdout): number {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) {
      return 0;
    }
    // commander has printed it already, for a terminal.
    tellWorkflow(thrown.message.replace(/^error: /, ''), log);
    return COULD_NOT;
  }
  const known = thrown instanceof KnownError ? thrown : fullDisk(thrown);
  if (known !== undefined) {
    // What a service answers, and a stranger's artifact says, is in messages as it is.
    process.stderr.write(withoutCommands(shownText(textOf(known))));
    tellWorkflow(`${known.message}\n${known.next ?? ''}`.trim(), log);
    return COULD_NOT;
  }
  tellWorkflow('An error that should not happen; the log has the lines to report.', log);
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const lines = `wiregauge: an error that should not happen; please report it with these lines:\n${stack}\n`;
  process.stderr.write(withoutCommands(shownText(lines)));
  return COULD_NOT;
}

function textOf({ message, framed, next }: KnownError): string {
  return `wiregauge: ${framed ?? message}\n${next === undefined ? '' : `  ${next}\n`}`;
}

/** The exit code of a command whose output could not be printed to its end, after saying so; that of a verdict stays. */
export function tellLostOutput(exitCode: number, lost: Error | undefined): number {
  if (lost === undefined) {
    return exitCode;
  }
  process.stderr.write(`wiregauge: its output could not be printed to its end: ${lost.message}\n`);
  return exitCode === 0 ? COULD_NOT : exitCode;
}

/** Beside the log, where GitHub shows what a job failed of. */
function tellWorkflow(message: string, log: NodeJS.WriteStream): void {
  if (isInWorkflow()) {
    log.write(workflowCommand('error', message, 'Wiregauge'));
  }
}
