import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatRun } from '../../../src/model/run/run.ts';
import { sampleRun } from '../../support/sample-run.ts';
import type { Play, Scene } from '../play.ts';
import type { Row } from '../row.ts';

/** Settings of a service that nothing starts. */
export const CONFIGURATION = `services:
  shop: { protocol: rest, port: 8080, process: { command: [sleep, "60"] } }
operations:
  - { name: Item, rest: { path: /item } }
tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }]
`;

const CONTRACT = `openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /item: { get: { operationId: getItem, responses: { "200": { description: An item } } } }
`;

/** Rounds enough for a verdict. */
const BENCHMARKS = 'BenchmarkA-2 \t 100 \t 10 ns/op\n'.repeat(10);

/** File that a command reads. */
interface Reader {
  readonly path: string;
  readonly text: string;
  readonly argv: readonly string[];
  readonly beside?: Readonly<Record<string, string>>;
  /** What it writes if the file is good. */
  readonly leaves?: readonly string[];
  /** Whether an option names it, so that it may be anywhere. */
  readonly isNamed?: boolean;
}

const READERS: Readonly<Record<string, Reader>> = {
  'the configuration': { path: 'wiregauge.yml', text: CONFIGURATION, argv: ['config', 'show'] },
  'a suite': {
    path: 'suites/small.yml',
    text: `name: small\ntitle: Small\nservices: [shop]\n${CONFIGURATION.slice(CONFIGURATION.indexOf('operations'))}`,
    argv: ['config', 'show', '--suite', 'small'],
    beside: {
      'services/shop/service.yml':
        'name: shop\ntitle: Shop\nprotocol: rest\nport: 8080\nprocess: { command: [sleep, "60"] }\n',
    },
  },
  'a service': {
    path: 'services/shop/service.yml',
    text: 'name: shop\ntitle: Shop\nprotocol: rest\nport: 8080\nprocess: { command: [sleep, "60"] }\n',
    argv: ['config', 'show', '--suite', 'small'],
    beside: {
      'suites/small.yml': `name: small\ntitle: Small\nservices: [shop]\n${CONFIGURATION.slice(CONFIGURATION.indexOf('operations'))}`,
    },
  },
  'a contract': {
    path: 'openapi.yaml',
    text: CONTRACT,
    argv: ['config', 'show'],
    beside: { 'wiregauge.yml': CONFIGURATION.replace(/ {2}- \{ name.*/, '  - { from: openapi.yaml }') },
  },
  'a feed': {
    path: 'items.csv',
    text: 'id\n1\n2\n',
    argv: ['config', 'show'],
    beside: {
      'wiregauge.yml': CONFIGURATION.replace(
        'rest: { path: /item }',
        "rest: { path: '/item/{id}' }, feed: { file: items.csv }",
      ),
    },
  },
  'run.json': {
    path: 'run.json',
    text: formatRun(sampleRun()),
    argv: ['report', 'run.json'],
    leaves: ['out'],
    isNamed: true,
  },
  'a policy': {
    path: 'policy.yml',
    text: 'thresholds: [{ metric: time, threshold: 5% }]\n',
    argv: ['judge', '--base', 'base.txt', '--head', 'head.txt', '--policy', 'policy.yml'],
    beside: { 'base.txt': BENCHMARKS, 'head.txt': BENCHMARKS },
  },
  'an output of a benchmark tool': {
    path: 'base.txt',
    text: BENCHMARKS,
    argv: ['judge', '--base', 'base.txt', '--head', 'head.txt'],
    beside: { 'head.txt': BENCHMARKS },
    isNamed: true,
  },
};

/** What the file is instead. */
interface Kind {
  readonly make: (scene: Scene, path: string, text: string) => void;
  /** Undefined: it is read as the text. */
  readonly prints?: RegExp;
  /** Of a file that may lie anywhere, if that is another. */
  readonly named?: RegExp | 'read';
}

const link = (target: string) => (_: Scene, path: string) => symlinkSync(target, path);

let packedOnce: Buffer | undefined;

function packed(): Buffer {
  packedOnce ??= gzipSync(Buffer.alloc(3e8, 32), { level: 1 });
  return packedOnce;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'a link to a secret outside': {
    make: ({ outside }, path) => {
      writeFileSync(join(outside, 'secret'), '{"secret":"hunter2"}');
      symlinkSync(join(outside, 'secret'), path);
    },
    prints: /points? outside|outside (?:of )?the repository/,
    named: /./,
  },
  'a device without an end': { make: link('/dev/zero'), prints: /is not a file|points outside/ },
  'a pipe without a writer': { make: (_, path) => execFileSync('mkfifo', [path]), prints: /is not a file/ },
  'a folder': { make: (_, path) => mkdirSync(path), prints: /is not a file|is a folder/ },
  'a sparse file of 5 GB': {
    make: (_, path) => {
      writeFileSync(path, '');
      truncateSync(path, 5 * 2 ** 30);
    },
    prints: /has 5368709120 bytes; the limit is \d+|larger than|at most/,
  },
  'gzip of 300 MB': {
    make: (_, path) => writeFileSync(path, packed()),
    prints: /larger than|cannot be unpacked|is not valid|the limit|MiB/,
  },
  'bytes that are no text': {
    make: (_, path) => writeFileSync(path, Buffer.from([0x61, 0xff, 0xc0, 0x80])),
    prints: /is not valid UTF-8|is not an OpenAPI document/,
  },
  nothing: { make: () => undefined, prints: /no such file|there is no|is missing|not found|has no/i },
  empty: { make: (_, path) => writeFileSync(path, ''), prints: /./ },
  'a hundred thousand brackets': { make: (_, path) => writeFileSync(path, '['.repeat(1e5)), prints: /./ },
  'aliases of aliases': {
    make: (_, path) => {
      const rows = Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}]`);
      writeFileSync(path, ['a0: &a0 [x]', ...rows].join('\n'));
    },
    prints: /./,
  },
  'a line of 8 MB': { make: (_, path) => writeFileSync(path, `# ${'eyJ-'.repeat(2e6)}\n`), prints: /./ },
  'behind a byte order mark': { make: (_, path, text) => writeFileSync(path, `\ufeff${text}`) },
  'in UTF-16': { make: (_, path, text) => writeFileSync(path, Buffer.from(`\ufeff${text}`, 'utf16le')) },
};

function playOf(reader: Reader, { make, prints, named }: Kind): Play {
  const { path, text, argv, beside = {}, leaves, isNamed = false } = reader;
  const words = isNamed && named !== undefined && named !== 'read' ? named : prints;
  return {
    argv,
    isInside: true,
    set(scene) {
      for (const [name, content] of Object.entries({ ...beside, [path]: text })) {
        scene.write(name, content);
      }
      rmSync(join(scene.root, path));
      make(scene, join(scene.root, path), text);
    },
    code: words === undefined ? 0 : 2,
    ...(words !== undefined && { prints: words }),
    printsNot: /hunter2|^\s+at .*:\d+:\d+\)?$|WG-900|bad_alloc|ERR_STRING_TOO_LONG|Cannot create a string/m,
    ...(words === undefined && leaves !== undefined && { leaves }),
  };
}

/** Readers whose cases take a minute together. */
const FAST = ['the configuration', 'a suite'];

/** Every reader given everything that a file may be. */
export const FILES: readonly Row[] = Object.entries(READERS).flatMap(([whose, reader]) =>
  Object.entries(KINDS).map(([what, kind]) => ({
    fault: `${whose} is ${what}`,
    by: playOf(reader, kind),
    nightly: !FAST.includes(whose),
  })),
);
