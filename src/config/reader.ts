import { ConfigError } from '../foundation/errors.ts';
import type { Path } from './yaml/frame.ts';

interface FileContent {
  readonly text: string;
  /** True if it is not valid UTF-8. */
  readonly isBinary?: boolean;
  readonly base64: string;
}

/** Returns a file by its path in the repository, or the reason why it cannot, such as "there is no such file". */
export type ReadFile = (path: string) => FileContent | { readonly refusal: string };

/** Content of a file that a configuration names; throws ConfigError with the place if it cannot be read. */
export function contentAt(path: string, place: string, readFile: ReadFile): FileContent {
  const found = readFile(path);
  if ('refusal' in found) {
    throw new ConfigError(`${place}: ${path}: ${found.refusal}`, {
      code: 'WG-107',
      next: 'Use the path of a file in the repository, relative to its root.',
    });
  }
  return found;
}

/** Text of a file in the repository; throws ConfigError if it is not valid UTF-8. */
export function textAt(path: string, place: string, readFile: ReadFile): string {
  const { text, isBinary = false } = contentAt(path, place, readFile);
  if (isBinary) {
    throw new ConfigError(`${place}: ${path}: is not valid UTF-8`, { code: 'WG-100', next: 'Save the file as UTF-8.' });
  }
  return text;
}

/** Place of a service in its file, with access to the repository. */
export interface ServicePlace {
  /** Place of one of its keys, for messages. */
  readonly at: (...steps: Path) => string;
  readonly reading: ConfigReader;
}

/** Access to the repository, and the log for remarks about a configuration. */
export interface ConfigReader {
  readonly readFile: ReadFile;
  /** Returns the text of every `.proto` file in a folder, by its path relative to that folder. */
  readonly protoTexts: (root: string) => Readonly<Record<string, string>>;
  /** Logs a line about a skipped part. */
  readonly remark: (line: string) => void;
  /** Name in the package manifest; undefined without one. */
  readonly packageName?: () => string | undefined;
  readonly known?: readonly KnownService[];
}

/** Service that a suite may name. */
export interface KnownService {
  readonly name: string;
  /** Level on each axis, for a service of a matrix. */
  readonly levels: Readonly<Record<string, string>>;
  readonly matrix?: string;
}

/** Access for configurations that name no files. */
export const NO_READING: ConfigReader = {
  readFile: () => ({ refusal: 'there is no such file' }),
  protoTexts: () => ({}),
  remark: () => undefined,
};
