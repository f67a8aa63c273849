import { CommanderError } from 'commander';
import { mistakesIn } from '../../config/mistakes.ts';
import { type ErrorCode, KnownError } from '../../foundation/errors.ts';
import { nearName } from '../../foundation/names.ts';
import { documentAddress, shownText } from '../../foundation/text.ts';
import { fullDisk } from '../../host/files/output.ts';
import { type Output, printCommand, printLine } from '../../host/terminal/output.ts';
import { isInWorkflow } from '../../host/workflow.ts';

/** Exit code of a failed or misused command; 0 is success, 1 a regression. */
const COULD_NOT = 2;

interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** Message with the lines of the file it is about. */
  readonly framed?: string | undefined;
  readonly next?: string | undefined;
}

/**
 * Prints an error to standard error: a known one with its fix and code, any other with its stack. In a workflow the message is also a command on
 * `log`.
 */
export function reportFailure(thrown: unknown, log: Output = 'out'): number {
  const failure = failureOf(thrown);
  if (failure === undefined) {
    // Help was printed on request, or because no command was given.
    return thrown instanceof CommanderError && thrown.exitCode !== 0 ? COULD_NOT : 0;
  }
  const { code, message, framed = message, next } = failure;
  // Messages contain raw text of services and artifacts; commander has already printed its own.
  const text = `wiregauge: ${framed}\n${next === undefined ? '' : `  ${next}\n`}`;
  const codes = [...new Set([code, ...mistakesIn(thrown).map((one) => one.code)])];
  const page = documentAddress(`docs/${codes.length === 1 ? `errors/${code.toLowerCase()}` : 'errors'}.md`);
  const more = `  More: wiregauge explain ${codes.join(' ')}, or ${page}`;
  printLine(`${thrown instanceof CommanderError ? '' : shownText(text)}${more}`, 'err');
  if (isInWorkflow()) {
    // Printed in addition to the log, where GitHub shows the errors of a job.
    printCommand({ name: 'error', text: `${message}\n${next ?? ''}`.trim(), title: `Wiregauge ${code}` }, log);
  }
  return COULD_NOT;
}

/** Error part of the JSON document; undefined if help was printed instead. */
export function failureData(thrown: unknown): object | undefined {
  const failure = failureOf(thrown);
  const dataOf = ({ code, message, next = '' }: Failure) => ({
    code,
    message: shownText(message),
    next: shownText(next),
  });
  const mistakes = mistakesIn(thrown);
  const several = mistakes.length > 1 && { mistakes: mistakes.map(dataOf) };
  return failure && { error: { ...dataOf(failure), ...several } };
}

/** Failure of an error; undefined if help was printed instead. */
function failureOf(thrown: unknown): Failure | undefined {
  if (thrown instanceof CommanderError) {
    const message = withNearOptions(thrown.message.replace(/^error: /, ''));
    const hasPrinted = thrown.exitCode === 0 || thrown.code === 'commander.help';
    return hasPrinted ? undefined : { code: 'WG-101', message };
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return (
    knownIn(thrown) ?? {
      code: 'WG-900',
      message: 'An internal error; please report the lines in the log.',
      framed: `an internal error; please report it with these lines:\n${stack}`,
    }
  );
}

/** Known error; if cleaning up failed as well, the first error. */
function knownIn(thrown: unknown): KnownError | undefined {
  if (thrown instanceof Error && thrown.name === 'SuppressedError' && 'suppressed' in thrown && 'error' in thrown) {
    return knownIn(thrown.suppressed) ?? knownIn(thrown.error);
  }
  return thrown instanceof KnownError ? thrown : fullDisk(thrown);
}

const IN_CONFIGURATION: Readonly<Record<string, string>> = {
  '--threshold': 'Thresholds are in `policy:` of wiregauge.yml, or in the file of --policy.',
  '--thresholds': 'Thresholds are in `policy:` of wiregauge.yml, or in the file of --policy.',
};

/** Message about an unknown option, with only near suggestions. */
export function withNearOptions(text: string): string {
  if (text.includes("too many arguments for 'compare'")) {
    const end = text.endsWith('\n') ? '\n' : '';
    return `${text.trimEnd()}\nName the version to compare with by --base: \`wiregauge compare --base main\`.${end}`;
  }
  const [whole, first = '', option = '', meant = ''] =
    /^(.*unknown option '(--[^'\n]+)')(?:\n\(Did you mean (?:one of )?([^\n]*)\?\))?/.exec(text) ?? [];
  if (whole === undefined) {
    return text;
  }
  const [place, near] = [IN_CONFIGURATION[option.split('=')[0] ?? ''], nearName(option, meant.split(', '))];
  const hint = place ?? (near === undefined ? undefined : `(Did you mean ${near}?)`);
  return `${hint === undefined ? first : `${first}\n${hint}`}${text.slice(whole.length)}`;
}

/** Exit code of a command whose output was not fully printed, with an error message; a verdict keeps its own. */
export function reportLostOutput(exitCode: number, lost: Error | undefined): number {
  if (lost === undefined) {
    return exitCode;
  }
  printLine(`wiregauge: the rest of the output could not be printed: ${lost.message}`, 'err');
  return exitCode === 0 ? COULD_NOT : exitCode;
}
