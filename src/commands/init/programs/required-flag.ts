import type { RepositoryFile } from '../../../host/files/scan.ts';
import { shellLine } from './port-variable.ts';

/** A flag that a program does not start without, as it is written on its command line. */
export interface RequiredFlag {
  /** `--dir`. */
  readonly flag: string;
  /** Undefined: it takes none. */
  readonly value: string | undefined;
  /** Whether the value is a folder, which begins empty. */
  readonly isFolder: boolean;
}

/** Messages of libraries for command lines, and of programs, that name the flag they lack. */
const LACKING: readonly RegExp[] = [
  /required flag(?:\(s\)|s)?:?\s*["'`]?(-{0,2}[a-z][\w-]*)/i,
  /["'`](-{0,2}[a-z][\w-]*)["'`] (?:flag|option)[\w/]* (?:is|must be) (?:required|set|specified|provided)/i,
  /(--?[a-z][\w-]*) (?:flag |option )?(?:is|must be) (?:required|set|specified|provided)/i,
  /arguments (?:are required|were not provided):?\s*(--?[a-z][\w-]*)/i,
  /missing required (?:flag|option|argument)s?:?\s*["'`]?(-{0,2}[a-z][\w-]*)/i,
];

/** Messages that name the flag with which a program starts all the same. */
const ALLOWING = /\b(?:use|pass|set|with) (--?[a-z][\w-]*) to (?:disable|allow|skip|ignore|start|run)\b/i;

/** Values of flags for folders. */
const FOLDER = /(?:^|-)(?:dir|directory|folder|root|path|storage|data\w*)$/;

/** The flag that a message of a program asks for, with the value that the documents of its repository show; undefined without either. */
export function requiredFlag(message: string, documents: readonly RepositoryFile[]): RequiredFlag | undefined {
  const allowing = ALLOWING.exec(message)?.[1];
  if (allowing !== undefined) {
    return { flag: allowing, value: undefined, isFolder: false };
  }
  const name = LACKING.map((pattern) => pattern.exec(message)?.[1]).find((found) => found !== undefined);
  const plain = name?.replace(/^-+/, '') ?? '';
  const flag = name?.startsWith('-') ? name : `${plain.length === 1 ? '-' : '--'}${plain}`;
  if (plain === '' || FOLDER.test(plain)) {
    return plain === '' ? undefined : { flag, value: DATA, isFolder: true };
  }
  const shown = new RegExp(`(?<![\\w-])--?${plain}[ =]([\\w.:@-]+)(?=[\\s"'\`\\\\]|$)`, 'g');
  const values = documents.flatMap(({ text }) => [...text.matchAll(shown)].map(([, value = '']) => value));
  const value = values.find((one) => !/^(?:-|value$|string$|int$|[A-Z_]+$)/.test(one));
  return value === undefined ? undefined : { flag, value, isFolder: false };
}

const DATA = '.wiregauge/data';

/** A command with a flag at its end. */
export function withFlag(command: readonly string[], { flag, value, isFolder }: RequiredFlag): readonly string[] {
  const line = shellLine(command);
  const made = isFolder ? line.replace(/\bexec /, `rm -rf ${value} && mkdir -p ${value} && exec `) : line;
  return ['sh', '-c', [made, flag, ...(value === undefined ? [] : [value])].join(' ')];
}
