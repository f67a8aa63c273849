import type { RepositoryFile } from '../../../host/files/scan.ts';
import { shellLine } from './port-variable.ts';

/** A flag that a program does not start without, such as `--dir`; one without a value is a switch. */
export interface RequiredFlag {
  readonly flag: string;
  readonly value?: string;
}

/** Messages of libraries for command lines, and of programs, that name the flag they lack. */
const LACKING: readonly RegExp[] = [
  /required flag(?:\(s\)|s)?:?\s*["'`]?(-{0,2}[a-z][\w-]*)/i,
  /["'`](-{0,2}[a-z][\w-]*)["'`] (?:flag|option)[\w/]* (?:is|must be) (?:required|set|specified|provided)/i,
  /(--?[a-z][\w-]{0,60}) (?:flag |option )?(?:is|must be) (?:required|set|specified|provided)/i,
  /arguments (?:are required|were not provided):?\s*(--?[a-z][\w-]*)/i,
  /missing required (?:flag|option|argument)s?:?\s*["'`]?(-{0,2}[a-z][\w-]*)/i,
];

/** Messages that name the flag with which a program starts all the same. */
const ALLOWING = /\b(?:use|pass|set|with) (--?[a-z][\w-]*) to (?:disable|allow|skip|ignore|start|run)\b/i;

/** Values of flags for folders. */
const FOLDER = /(?:^|-)(?:dir|directory|folder|root|path|storage|data\w*)$/;

/** The flag that an error message of a program requires, with the value that the documents of its repository show; undefined without either. */
export function requiredFlag(message: string, documents: readonly RepositoryFile[]): RequiredFlag | undefined {
  const allowing = ALLOWING.exec(message)?.[1];
  const name = LACKING.map((pattern) => pattern.exec(message)?.[1]).find((found) => found !== undefined);
  if (allowing !== undefined || name === undefined) {
    return allowing === undefined ? undefined : { flag: allowing };
  }
  const plain = name.replace(/^-+/, '');
  const shown = new RegExp(`(?<![\\w-])--?${plain}[ =]([\\w.:@-]+)(?=[\\s"'\`\\\\]|$)`, 'g');
  const values = documents.flatMap(({ text }) => [...text.matchAll(shown)].map(([, value = '']) => value));
  const value = FOLDER.test(plain) ? DATA : values.find((one) => !/^(?:-|value$|string$|int$|[A-Z_]+$)/.test(one));
  return value === undefined ? undefined : { flag: name.startsWith('-') ? name : `--${plain}`, value };
}

/** A folder that is empty at each start. */
const DATA = '.wiregauge/data';

/** A command with a flag at its end. */
export function withFlag(command: readonly string[], { flag, value }: RequiredFlag): readonly string[] {
  const line = shellLine(command);
  const made = value === DATA ? line.replace(/\bexec /, `rm -rf ${DATA} && mkdir -p ${DATA} && exec `) : line;
  return ['sh', '-c', [made, flag, ...(value === undefined ? [] : [value])].join(' ')];
}
