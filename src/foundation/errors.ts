/** Failures by error code. A code never changes its meaning and is never reused; list new ones in tests/fixtures/error-codes.csv, too. */
export const ERROR_CODES = {
  'WG-100': 'An option, an argument or a file is wrong',
  'WG-101': 'The command line is not valid',
  'WG-102': 'There is no configuration',
  'WG-103': 'A file is not valid YAML',
  'WG-104': 'A key is unknown',
  'WG-105': 'A value is missing or not valid',
  'WG-106': 'There is nothing with this name',
  'WG-107': 'A file or folder cannot be read',
  'WG-108': 'A path leads out of the repository',
  'WG-109': 'An environment variable is not set',
  'WG-110': 'A secret must not be used here',
  'WG-111': 'The gRPC contract cannot be used',
  'WG-112': 'A gRPC message does not fit the contract',
  'WG-113': 'The OpenAPI document cannot be used',
  'WG-114': 'The arguments of an operation do not fit',
  'WG-115': 'The time budget is too small',
  'WG-116': 'A service cannot be started in this runtime',
  'WG-200': 'This machine lacks a program or a setting',
  'WG-201': 'The Docker engine cannot be used',
  'WG-202': 'The Docker engine has stopped answering',
  'WG-203': 'The load tools cannot be installed or started',
  'WG-204': 'A downloaded program is not the pinned one',
  'WG-205': 'Another process uses this machine or folder',
  'WG-206': 'There is no free port',
  'WG-207': 'A file cannot be written',
  'WG-208': 'This operating system is not supported',
  'WG-209': 'git is missing or failed',
  'WG-210': 'The clone is shallow',
  'WG-211': 'There is no such commit, branch or repository',
  'WG-212': 'An image cannot be fetched',
  'WG-213': 'A program or a core is missing',
  'WG-214': 'The Kubernetes cluster cannot be used',
  'WG-301': 'A service does not build',
  'WG-302': 'A service was not ready in time',
  'WG-303': 'A service ended or failed while it was measured',
  'WG-304': 'A service answers with a redirect',
  'WG-305': 'The answers of a service vary',
  'WG-306': 'Two services answer differently',
  'WG-307': 'An answer is not as expected',
  'WG-308': 'A service does not answer',
  'WG-309': 'A container cannot be started',
  'WG-310': 'Server reflection cannot be used',
  'WG-311': 'Instructions cannot be counted',
  'WG-312': 'A service with an address has one version only',
  'WG-313': 'A preparing request failed',
  'WG-400': 'A measurement failed',
  'WG-401': 'A load tool failed',
  'WG-402': 'The counters of a service cannot be read',
  'WG-403': 'A results file is damaged or of another version',
  'WG-404': 'Results do not belong together',
  'WG-405': 'A table of samples is not valid',
  'WG-406': 'There is nothing to compare with',
  'WG-407': 'The results lack what this command needs',
  'WG-408': 'There are too few rounds',
  'WG-501': 'An input of the action is not valid',
  'WG-502': 'There is no valid token',
  'WG-503': 'GitHub or GitLab refused a request',
  'WG-504': 'The event does not fit the mode of the action',
  'WG-505': 'Untrusted code would run with a token',
  'WG-506': 'An artifact is refused',
  'WG-507': 'The measuring job left no results',
  'WG-508': 'An artifact was not uploaded',
  'WG-509': 'The pull request or merge request is unknown',
  'WG-510': 'A webhook rejected a message',
  'WG-601': 'The history cannot be written',
  'WG-602': 'The history is damaged or of another version',
  'WG-603': 'This run cannot enter the history',
  'WG-604': 'There is no such history or run',
  'WG-900': 'An internal error',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export function withCode(text: string, code: string | undefined): string {
  return code === undefined ? text : `${text} (${code})`;
}

interface KnownErrorOptions {
  /** Default: the code of the cause if it is more specific, else that of the class. */
  readonly code?: ErrorCode | undefined;
  readonly next?: string | undefined;
  readonly cause?: unknown;
  readonly brief?: string | undefined;
  /** Relevant lines of a program's output, safe to show to others, but untrusted. */
  readonly printed?: string | undefined;
  readonly framed?: string | undefined;
}

/** Error with a message for the user: printed without a stack trace, exit code 2. */
export abstract class KnownError extends Error {
  static readonly code: ErrorCode = 'WG-900';

  readonly code: ErrorCode;
  readonly next: string | undefined;
  readonly brief: string;
  readonly printed: string | undefined;
  readonly framed: string | undefined;

  constructor(message: string, options: KnownErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    // A general code is less specific than that of the cause.
    const usual = new.target.code;
    const { code } = options.cause instanceof KnownError && usual.endsWith('00') ? options.cause : new.target;
    this.code = options.code ?? code;
    this.next = options.next;
    this.brief = options.brief ?? message;
    this.printed = options.printed || undefined;
    this.framed = options.framed;
  }
}

/** Mistake that the user can fix in a flag, a configuration file or an input file. */
export class ConfigError extends KnownError {
  static override readonly code: ErrorCode = 'WG-100';
}

/** Requirement that this machine lacks: the Docker engine, a free port, disk space, a tool. */
export class EnvironmentError extends KnownError {
  static override readonly code: ErrorCode = 'WG-200';
}

export class MeasurementError extends KnownError {
  static override readonly code: ErrorCode = 'WG-400';
}

/** Error itself if its message is for the user; rethrows any other. */
export function knownError(thrown: unknown): KnownError {
  if (thrown instanceof KnownError) {
    return thrown;
  }
  throw thrown;
}

/** Result of work; if it fails with an error for the user, that of the fallback. */
export async function withFallback<Result, Fallback = undefined>(
  work: () => Result | Promise<Result>,
  fallback: (error: KnownError) => Fallback = () => undefined as Fallback,
): Promise<Result | Fallback> {
  try {
    return await work();
  } catch (thrown) {
    return fallback(knownError(thrown));
  }
}

/** Result of work; undefined if it throws. */
export function ifPossible<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** `code` of an error, as Node.js sets it; empty if it has none. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Reason of a failed `fetch()`, which hides that of a failed connection one level down. */
export function fetchFailure(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return messageOf(cause ?? thrown) || 'no answer';
}
