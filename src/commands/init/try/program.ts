import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { formatDuration } from '../../../foundation/numbers.ts';
import { cleanText, shellCommand } from '../../../foundation/text.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { MAX_SECONDS } from '../../../measure/trial/ready.ts';
import { shellLine } from '../read/ports.ts';
import { type Change, type Fixing, retried } from './fix.ts';

/** Another machine may be slower, and a comparison starts two at once. */
const LONGER = 3;

/** Extends the wait for a service that needs longer than the default. */
export function fixReady({ document, name, entry, service: { startUpSeconds = 0 } }: Fixing): readonly Change[] {
  const timeoutSeconds = Math.ceil(LONGER * startUpSeconds);
  if (timeoutSeconds <= MAX_SECONDS || entry.has('ready')) {
    return [];
  }
  entry.set('ready', document.createNode({ timeoutSeconds }, { flow: true }));
  const took = formatDuration(startUpSeconds);
  return [{ words: `${name}: ready after at most ${timeoutSeconds} s, three times the ${took} that it took` }];
}

/** Most services in a repository use a self-signed certificate, or one for another name. */
export function fixTls({ document, name, entry, service: { speaks } }: Fixing): readonly Change[] {
  if (speaks?.startsWith('tls') !== true || entry.has('tls')) {
    return [];
  }
  const isTrusted = speaks === 'tls, trusted';
  entry.set('tls', document.createNode(isTrusted ? {} : { insecure: true }, { flow: true }));
  const insecure = isTrusted
    ? ''
    : '; `insecure` trusts any certificate, because this machine does not trust that of the service';
  return retried(`${name}: tls, because it answers TLS only${insecure}`);
}

/** Adds the last setuptools with pkg_resources, which Python environments contained up to 3.11. */
export function fixSetuptools({ document, name, entry, service: { failure = '' } }: Fixing): readonly Change[] {
  const lacking = /No module named '(pkg_resources|distutils|setuptools)/.exec(failure)?.[1];
  const steps = stepsOf(entry).map(wordsOf);
  const install = steps.find((step) => step.slice(0, 4).join(' ') === 'uv pip install --python');
  if (lacking === undefined || install === undefined || steps.flat().includes(SETUPTOOLS)) {
    return [];
  }
  entry.addIn(['process', 'build'], document.createNode([...install.slice(0, 5), SETUPTOOLS], { flow: true }));
  return retried(`${name}: installs ${SETUPTOOLS}, because it imports ${lacking}`);
}

const SETUPTOOLS = 'setuptools<81';

/** Build of a plain process. */
function stepsOf(entry: YAMLMap): readonly YAMLSeq[] {
  const build = entry.getIn(['process', 'build']);
  return isSeq(build) ? build.items.filter((step) => isSeq(step)) : [];
}

function wordsOf(words: YAMLSeq): readonly string[] {
  return words.items.map(String);
}

/** Handles a lock file of another npm version, which `npm ci` refuses. */
export function fixLock({ name, entry, service: { failure = '' } }: Fixing): readonly Change[] {
  const isRefused = /\bnpm (?:error|ERR!) code EUSAGE\b/.test(failure);
  const steps = stepsOf(entry).filter((one) => isRefused && /^npm (?:--prefix .+ )?ci\b/.test(wordsOf(one).join(' ')));
  const step = steps.find((one) => failure.includes(`\`${shellCommand(wordsOf(one))}\``)) ?? steps[0];
  step?.set(wordsOf(step).lastIndexOf('ci'), 'install');
  // Otherwise it would change the user's lock file.
  step?.add('--no-save');
  return step === undefined
    ? []
    : retried(`${name}: builds with npm install --no-save, because npm ci refuses the lock file`);
}

/** Gives a need the fixed port that the service connects to. */
export function fixNeedPort({ name, entry, service: { failure = '' } }: Fixing): readonly Change[] {
  const needs = entry.get('needs');
  const isRefused = /refused/i.test(failure) && /127\.0\.0\.1|localhost|::1/.test(failure);
  return (isMap(needs) && isRefused ? needs.items : []).flatMap(({ key, value }): readonly Change[] => {
    const port = isMap(value) ? Number(value.get('port')) : 0;
    const isMissed = new RegExp(`(?<!\\d)${port}(?!\\d)`).test(failure);
    if (!isMap(value) || !isMissed || !isMap(value.get('process')) || value.hasIn(['process', 'port'])) {
      return [];
    }
    value.setIn(['process', 'port'], port);
    const need = cleanText(String(key), 80);
    return retried(`${name}: needs.${need}.process.port ${port}, because ${name} connects to that port`);
  });
}

/** Adds a flag that the program required when it exited. */
export function fixFlag({ document, name, entry, service: { failure = '' }, known }: Fixing): readonly Change[] {
  const command = entry.getIn(['process', 'command']);
  const words = isSeq(command) ? wordsOf(command) : [];
  const found = requiredFlag(failure, known.documents);
  if (found === undefined || words.length === 0 || shellLine(words).split(' ').includes(found.flag)) {
    return [];
  }
  entry.setIn(['process', 'command'], document.createNode(withFlag(words, found), { flow: true }));
  return retried(`${name}: starts with ${`${found.flag} ${found.value ?? ''}`.trim()}, which it requires`);
}

/** Flag without which a program does not start, such as `--dir`; one without a value is a switch. */
interface RequiredFlag {
  readonly flag: string;
  readonly value?: string;
}

/** Messages of command-line libraries and programs that name the missing flag. */
const LACKING: readonly RegExp[] = [
  /required flag(?:\(s\)|s)?:?\s*["'`]?(-{0,2}[a-z][\w-]*)/i,
  /["'`](-{0,2}[a-z][\w-]*)["'`] (?:flag|option)[\w/]* (?:is|must be) (?:required|set|specified|provided)/i,
  /(--?[a-z][\w-]{0,60}) (?:flag |option )?(?:is|must be) (?:required|set|specified|provided)/i,
  /arguments (?:are required|were not provided):?\s*(--?[a-z][\w-]*)/i,
  /missing required (?:flag|option|argument)s?:?\s*["'`]?(-{0,2}[a-z][\w-]*)/i,
];

/** Messages that name a flag which lets the program start. */
const ALLOWING = /\b(?:use|pass|set|with) (--?[a-z][\w-]*) to (?:disable|allow|skip|ignore|start|run)\b/i;

/** Values of flags for folders. */
const FOLDER = /(?:^|-)(?:dir|directory|folder|root|path|storage|data\w*)$/;

/** Flag that an error message requires, with the value that the repository's documents show; undefined without either. */
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

export function withFlag(command: readonly string[], { flag, value }: RequiredFlag): readonly string[] {
  const line = shellLine(command);
  const made = value === DATA ? line.replace(/\bexec /, `rm -rf ${DATA} && mkdir -p ${DATA} && exec `) : line;
  return ['sh', '-c', [made, flag, ...(value === undefined ? [] : [value])].join(' ')];
}

export function fixPort({ name, entry, service: { printedPort, ownPort, usesPort } }: Fixing): readonly Change[] {
  const changes: Change[] = [];
  if (usesPort === true && !entry.hasIn(['environment', 'PORT'])) {
    entry.setIn(['environment', 'PORT'], '0');
    changes.push(...retried(`${name}: environment.PORT 0, because another of its servers listens on that port`));
  } else if (ownPort === undefined && printedPort !== undefined && entry.has('port')) {
    entry.set('port', printedPort);
    changes.push(...retried(`${name}: port ${printedPort}, where it listens`));
  }
  // A plain process may listen on another port than `$PORT`.
  if (ownPort !== undefined && isMap(entry.get('process'))) {
    entry.setIn(['process', 'port'], ownPort);
    changes.push(...retried(`${name}: process.port ${ownPort}, the port that it listens on`));
  }
  return changes;
}
