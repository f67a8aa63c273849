/** What a known error says: what failed (the message), and what the reader does next. */
interface KnownErrorOptions {
  readonly next?: string;
  readonly cause?: unknown;
  /** The message without what a program printed, if the message has that, too. */
  readonly brief?: string;
  /** The telling lines that a program printed, fit to be shown to others; still text from outside. */
  readonly printed?: string;
  /** The message with the lines of a file that it is about, for a terminal. */
  readonly framed?: string;
}

/** An error whose message is meant for the user: printed without a stack trace, exit code 2. */
export abstract class KnownError extends Error {
  /** One sentence: what the user does next. */
  readonly next: string | undefined;
  /** What failed, without what a program printed. */
  readonly brief: string;
  /** What a program printed before it failed; undefined if that is not known, or nothing. */
  readonly printed: string | undefined;
  /** The message with the lines of a file that it is about; undefined if it is about none. */
  readonly framed: string | undefined;

  constructor(message: string, options: KnownErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.next = options.next;
    this.brief = options.brief ?? message;
    this.printed = options.printed || undefined;
    this.framed = options.framed;
  }
}

/** Something that the user can mend in a flag, a configuration file or an input file. */
export class ConfigError extends KnownError {}

/** Something that this machine lacks: the Docker engine, a free port, disk space, a tool. */
export class EnvironmentError extends KnownError {}

/** A service or a load tool that did not do what a measurement needs. */
export class MeasurementError extends KnownError {}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
