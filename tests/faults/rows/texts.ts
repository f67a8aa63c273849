import type { Play } from '../play.ts';
import { elsewhere, type Row } from '../row.ts';
import { CONFIGURATION } from './files.ts';

const PRINTED = 'tests/unit/host/terminal/printed.test.ts';
const REDACTED = 'tests/unit/model/secrets/printed.test.ts';
const READER = 'tests/unit/host/files/reader.test.ts';
const ZIP = 'tests/unit/host/files/zip.test.ts';
const ARTIFACT = 'tests/parallel/hostile-artifact.test.ts';
const PPROF = 'tests/unit/measure/profiler/pprof-format.test.ts';
const STACKS = 'tests/unit/measure/profiler/stacks.test.ts';
const COMMENT = 'tests/unit/report/comment/comment-hostile.test.ts';
const FUZZ = 'tests/fuzz';

const SECRET: Play = {
  isInside: true,
  argv: ['run', '--profile', 'smoke', '--runtime', 'process'],
  set: ({ write }) =>
    void write(
      'wiregauge.yml',
      CONFIGURATION.replace(' }\noperations', ', environment: { KEY: "${env.DEPLOY_KEY}" } }\noperations'),
    ),
  environment: () => ({ GITHUB_ACTIONS: 'true', DEPLOY_KEY: 'hunter2hunter2' }),
  code: 2,
  prints: /DEPLOY_KEY/,
  printsNot: /hunter2/,
};

/** Names that steer a terminal, a workflow, Markdown or HTML. */
const NAMES = [
  '"::error::forged"',
  '"##[error]forged"',
  '"\\u001b[2J"',
  '"a\\u202eb"',
  '"<script>alert(1)</script>"',
  '"@everyone"',
  '"../../x"',
  '"__proto__"',
];

const named = (name: string): Play => ({
  isInside: true,
  argv: ['config', 'show'],
  set: ({ write }) => void write('wiregauge.yml', CONFIGURATION.replace('name: Item', `name: ${name}`)),
  environment: () => ({ GITHUB_ACTIONS: 'true' }),
  code: 2,
  prints: /wiregauge:/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they may not come out.
  printsNot: /^::error::forged|##\[error\]forged|\u001b\[2J|\u202e|WG-900/m,
});

/** No command line that was made of a title, no message of an error that nobody caught. */
const FORGED: Pick<Play, 'environment' | 'code' | 'printsNot'> = {
  environment: () => ({ GITHUB_ACTIONS: 'true' }),
  code: 2,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they may not come out.
  printsNot: /^::set-output|##\[error\]forged|\u001b\[2J/m,
};

const HOSTILE = 'x\n::set-output name=outcome::passed\n##[error]forged\u001b[2J';

/** Texts from outside: what is printed, what is unpacked, what a pattern or a parser looks at. */
export const TEXTS: readonly Row[] = [
  {
    fault: 'an argument of the command line has commands of a workflow',
    found: 'H2',
    by: { ...FORGED, isInside: true, argv: [HOSTILE], prints: /unknown command/ },
  },
  {
    fault: 'an error that nothing catches has commands of a workflow',
    found: 'H2',
    by: {
      ...FORGED,
      argv: ['explain', 'inconclusive'],
      environment: () => ({
        GITHUB_ACTIONS: 'true',
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
          `setTimeout(() => { throw new Error(${JSON.stringify(HOSTILE)}) })`,
        )}`,
      }),
      prints: /an internal error/,
    },
  },
  ...NAMES.map((name) => ({ fault: `an operation is called ${name}`, by: named(name) })),
  { fault: 'a configuration names a variable that the workflow does not list', found: 'H3', by: SECRET },
  elsewhere(
    'a text steers a terminal as text, in JSON and in a command',
    PRINTED,
    'steers nothing as text, as JSON and in a command',
  ),
  elsewhere('JSON with a line of any length', PRINTED, 'stays one line as JSON with'),
  elsewhere('JSON with such texts', PRINTED, 'is the same text after JSON'),
  elsewhere(
    'a line of a quarter of a megabyte like a token',
    REDACTED,
    'a square of this one would take minutes',
    'H4',
  ),
  elsewhere(
    'a pattern whose time grows with the square',
    'tests/integration/patterns.test.ts',
    'no pattern takes a time that grows with the square',
  ),
  elsewhere('a log with colors, titles and overwritten lines', REDACTED, 'have no color, no title of a window'),
  elsewhere('a log of any length', REDACTED, 'are few and short, for any output'),
  elsewhere(
    'a holder of the lock with escapes in its name',
    'tests/serial/machine-lock.test.ts',
    'cannot steer the terminal or fill it',
  ),
  elsewhere('a link out of the checkout', READER, 'a link to a file outside', 'H1'),
  elsewhere('a run.json of 5 GB', READER, 'a sparse file of 3 GB', 'H19'),
  elsewhere('a file without a size', READER, 'that has no size is read to its limit'),
  elsewhere('a device', READER, 'is not a device: %s'),
  elsewhere(
    'a comment with mentions, references, HTML and controls',
    COMMENT,
    'lets no mention, reference, link, HTML or control character through',
  ),
  elsewhere('a comment with a forged memory', COMMENT, 'remembers nothing that is not a commit, time or headline'),
  elsewhere('a report of a hostile run', 'tests/unit/report/run/html.test.ts', 'shows a hostile run as text'),
  elsewhere('an archive without the file', ZIP, 'has none of that name'),
  elsewhere('an archive with the file twice', ZIP, 'has two of that name'),
  elsewhere('an archive that leads out of its folder', ZIP, 'leads out of its folder'),
  elsewhere('an archive with an absolute path', ZIP, 'has an absolute path'),
  elsewhere('an encrypted archive', ZIP, 'is encrypted'),
  elsewhere('an archive with bytes that are no text', ZIP, 'is no text'),
  elsewhere('an archive that says too much', ZIP, 'says that it is longer than allowed'),
  elsewhere('an archive that unpacks to more than it says', ZIP, 'unpacks to more than it says'),
  elsewhere('an archive that unpacks to less than it says', ZIP, 'unpacks to less than it says'),
  elsewhere('an archive with too many files', ZIP, 'lists too many files'),
  elsewhere('an archive that is cut short', ZIP, 'refuses what is not an archive, and one that is cut short'),
  elsewhere('an artifact with as many samples as there may be', ARTIFACT, 'with samples that do not fit'),
  elsewhere('a tampered run.json in an artifact', 'tests/parallel/forged-artifacts.test.ts', 'forged artifacts green'),
  elsewhere('a profile of Go that takes memory and time', PPROF, 'that is made to take memory and time is refused'),
  elsewhere('a profile of Go with a stack seen too often', PPROF, 'a stack that was seen %d times is refused'),
  elsewhere('a profile of Go that refers to nothing', PPROF, 'what it refers to and does not have is unknown'),
  elsewhere('a profile of Go of a deep recursion', PPROF, 'of a recursion keeps its innermost thousand calls'),
  elsewhere('a profile of Node.js with a cycle', STACKS, 'a cycle of many nodes is refused', 'H5'),
  elsewhere(
    'a page of pprof that never answers',
    'tests/unit/measure/profiler/pprof.test.ts',
    'that never answers is left if the service ends',
  ),
  elsewhere('a profile that is a link', 'tests/unit/measure/profiler/sampler.test.ts', 'a link of it leads nowhere'),
  elsewhere(
    'a document changed at random',
    `${FUZZ}/fuzz.test.ts`,
    'a document that was changed is read, or refused with a message',
  ),
  elsewhere(
    'a segment of a history that is cut short',
    'tests/unit/history/store/segment.test.ts',
    'is cut short at any place',
  ),
  elsewhere(
    'a history to import of which a part cannot be read',
    'tests/unit/history/exchange/gab-import.test.ts',
    'keeps what can be read, and names the rest',
  ),
  elsewhere(
    'a history to import with control characters',
    'tests/unit/history/exchange/gab-import.test.ts',
    'loses control characters and what turns the direction of text',
  ),
  elsewhere(
    'a history that pollutes prototypes',
    'tests/unit/history/store/segment.test.ts',
    'never pollutes the prototype of objects',
  ),
  elsewhere(
    'a configuration that pollutes prototypes',
    'tests/unit/config/yaml/yaml.test.ts',
    'does not change inherited properties, for any keys',
  ),
];
