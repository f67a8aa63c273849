import type protobuf from 'protobufjs';
import { ConfigError } from '../foundation/errors.ts';
import type { Service } from '../model/service.ts';

/** A file of the repository: as text, and as it is. */
interface FileContent {
  readonly text: string;
  /** Whether some of its bytes are no text. */
  readonly isBinary?: boolean;
  readonly base64: string;
}

/** Gives a file by its path from the root of the repository, or why it cannot: "there is no such file". */
export type ReadFile = (path: string) => FileContent | { readonly refusal: string };

/** For configurations that name no files. */
export const NO_FILES: ReadFile = () => ({ refusal: 'there is no such file' });

/** The content of a file that a configuration names at a place; throws ConfigError if it cannot be read. */
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

/** Text of such a file; throws ConfigError if some bytes are no text. */
export function textAt(path: string, place: string, readFile: ReadFile): string {
  const { text, isBinary = false } = contentAt(path, place, readFile);
  if (isBinary) {
    throw new ConfigError(`${place}: ${path}: is not valid UTF-8`, { code: 'WG-100', next: 'Save the file as UTF-8.' });
  }
  return text;
}

/** A contract, ready to tell what can be called. */
export interface ReadableContract {
  /** "user.v1.UserService/GetUser". */
  readonly calls: readonly string[];
  method(call: string): protobuf.Method;
}

/** Gives the contract in the files of a service; throws ConfigError if it does not compile. */
export type ReadContract = (service: Pick<Service, 'name' | 'proto'>) => ReadableContract;

/** What reads the files that a configuration names, and hears what is to be said of them. */
export interface ConfigReader {
  readonly readFile: ReadFile;
  readonly readContract: ReadContract;
  /** Takes a line about something that was left out. */
  readonly remark: (line: string) => void;
  /** What the package calls itself; undefined if it says no name. */
  readonly packageName?: () => string | undefined;
  /** Services that a suite may name. */
  readonly known?: readonly KnownService[];
}

/** Service that a suite may name. */
export interface KnownService {
  readonly name: string;
  /** Its level on each axis, if a matrix makes it. */
  readonly levels: Readonly<Record<string, string>>;
  /** Name of that matrix. */
  readonly matrix?: string;
}

/** For configurations that name no files. */
export const NO_READING: ConfigReader = {
  readFile: NO_FILES,
  readContract: ({ name }) => {
    throw new ConfigError(`${name}: its contract cannot be read here`, { code: 'WG-111' });
  },
  remark: () => undefined,
};
