import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { formatDuration } from '../../../foundation/numbers.ts';
import { cleanText, shellCommand } from '../../../foundation/text.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { MAX_SECONDS } from '../../../measure/trial/ready.ts';
import { shellLine } from '../read/port-variable.ts';
import type { Change, Fixing } from './fix.ts';

/** Another machine may be slower, and a comparison starts two at once. */
const LONGER = 3;

/** Extends the wait for a service that needs longer than the default. */
export function fixReady({ document, name, service: { startUpSeconds = 0 } }: Fixing): readonly Change[] {
  const timeoutSeconds = Math.ceil(LONGER * startUpSeconds);
  if (timeoutSeconds <= MAX_SECONDS || document.hasIn(['services', name, 'ready'])) {
    return [];
  }
  document.setIn(['services', name, 'ready'], document.createNode({ timeoutSeconds }, { flow: true }));
  const took = formatDuration(startUpSeconds);
  return [{ words: `${name}: ready after at most ${timeoutSeconds} s, three times the ${took} that it took` }];
}

/** Most services in a repository use a self-signed certificate, or one for another name. */
export function fixTls({ document, name, service: { speaks } }: Fixing): readonly Change[] {
  if (speaks?.startsWith('tls') !== true || document.hasIn(['services', name, 'tls'])) {
    return [];
  }
  const isTrusted = speaks === 'tls, trusted';
  document.setIn(['services', name, 'tls'], document.createNode(isTrusted ? {} : { insecure: true }, { flow: true }));
  const insecure = isTrusted
    ? ''
    : '; `insecure` trusts any certificate, because this machine does not trust that of the service';
  const words = `${name}: tls, because it answers TLS only${insecure}`;
  return [{ words, isRequestedOtherwise: true }];
}

/** Adds the last setuptools with pkg_resources, which Python environments contained up to 3.11. */
export function fixSetuptools({ document, name, service: { failure = '' } }: Fixing): readonly Change[] {
  const lacking = /No module named '(pkg_resources|distutils|setuptools)/.exec(failure)?.[1];
  const build = document.getIn(['services', name, 'process', 'build']);
  const steps = isSeq(build) ? build.items.map((step) => (isSeq(step) ? step.items.map(String) : [])) : [];
  const install = steps.find((step) => step.slice(0, 4).join(' ') === 'uv pip install --python');
  if (lacking === undefined || install === undefined || !isSeq(build) || steps.flat().includes(SETUPTOOLS)) {
    return [];
  }
  build.add(document.createNode([...install.slice(0, 5), SETUPTOOLS], { flow: true }));
  return [{ words: `${name}: installs ${SETUPTOOLS}, because it imports ${lacking}`, isRequestedOtherwise: true }];
}

const SETUPTOOLS = 'setuptools<81';

/** Handles a lock file of another npm version, which `npm ci` refuses. */
export function fixLock({ document, name, service: { failure = '' } }: Fixing): readonly Change[] {
  const build = document.getIn(['services', name, 'process', 'build']);
  const isRefused = /\bnpm (?:error|ERR!) code EUSAGE\b/.test(failure);
  const steps = (isSeq(build) && isRefused ? build.items.filter(isSeq) : []).filter(({ items }) =>
    /^npm (?:--prefix .+ )?ci\b/.test(items.join(' ')),
  );
  const step = steps.find(({ items }) => failure.includes(`\`${shellCommand(items.map(String))}\``)) ?? steps[0];
  step?.set(step.items.map(String).lastIndexOf('ci'), 'install');
  // Otherwise it would change the user's lock file.
  step?.add('--no-save');
  const words = `${name}: builds with npm install --no-save, because npm ci refuses the lock file`;
  return step === undefined ? [] : [{ words, isRequestedOtherwise: true }];
}

/** Gives a need the fixed port that the service connects to. */
export function fixNeedPort({ document, name, service: { failure = '' } }: Fixing): readonly Change[] {
  const needs = document.getIn(['services', name, 'needs']);
  const isRefused = /refused/i.test(failure) && /127\.0\.0\.1|localhost|::1/.test(failure);
  return (isMap(needs) && isRefused ? needs.items : []).flatMap(({ key, value }): readonly Change[] => {
    const port = isMap(value) ? Number(value.get('port')) : 0;
    const isMissed = new RegExp(`(?<!\\d)${port}(?!\\d)`).test(failure);
    if (!isMap(value) || !isMissed || !isMap(value.get('process')) || value.hasIn(['process', 'port'])) {
      return [];
    }
    value.setIn(['process', 'port'], port);
    const words = `${name}: needs.${cleanText(String(key), 80)}.process.port ${port}, because ${name} connects to that port`;
    return [{ words, isRequestedOtherwise: true }];
  });
}

const commandAt = (name: string): readonly string[] => ['services', name, 'process', 'command'];

/** Empty unless it is started as a process. */
function commandOf(document: Document, name: string): readonly string[] {
  const command = document.getIn(commandAt(name));
  return isSeq(command) ? command.items.map((word) => String(isScalar(word) ? word.value : word)) : [];
}

/** Adds a flag that the program required when it exited. */
export function fixFlag({ document, name, service: { failure = '' }, known }: Fixing): readonly Change[] {
  const words = commandOf(document, name);
  const found = requiredFlag(failure, known.documents);
  if (found === undefined || words.length === 0 || shellLine(words).split(' ').includes(found.flag)) {
    return [];
  }
  document.setIn(commandAt(name), document.createNode(withFlag(words, found), { flow: true }));
  const flag = [found.flag, found.value ?? ''].join(' ').trim();
  return [{ words: `${name}: starts with ${flag}, which it requires`, isRequestedOtherwise: true }];
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

/** A command with a flag at its end. */
export function withFlag(command: readonly string[], { flag, value }: RequiredFlag): readonly string[] {
  const line = shellLine(command);
  const made = value === DATA ? line.replace(/\bexec /, `rm -rf ${DATA} && mkdir -p ${DATA} && exec `) : line;
  return ['sh', '-c', [made, flag, ...(value === undefined ? [] : [value])].join(' ')];
}

export function fixPort({ document, name, service: { printedPort, ownPort, usesPort } }: Fixing): readonly Change[] {
  const ofVariable = ['services', name, 'environment', 'PORT'];
  if (usesPort === true && !document.hasIn(ofVariable)) {
    document.setIn(ofVariable, '0');
    const words = `${name}: environment.PORT 0, because another of its servers listens on that port`;
    return [{ words, isRequestedOtherwise: true }, ...fixedPort(document, name, ownPort)];
  }
  if (ownPort !== undefined || printedPort === undefined || document.getIn(['services', name, 'port']) === undefined) {
    return fixedPort(document, name, ownPort);
  }
  document.setIn(['services', name, 'port'], printedPort);
  return [{ words: `${name}: port ${printedPort}, where it listens`, isRequestedOtherwise: true }];
}

/** Port of a plain process that listens on another one than `$PORT`. */
function fixedPort(document: Document, name: string, port: number | undefined): readonly Change[] {
  if (port === undefined || !isMap(document.getIn(['services', name, 'process']))) {
    return [];
  }
  document.setIn(['services', name, 'process', 'port'], port);
  return [{ words: `${name}: process.port ${port}, the port that it listens on`, isRequestedOtherwise: true }];
}
