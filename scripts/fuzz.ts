/**
 * Randomly mutates valid documents, and those of the corpus, for every reader of foreign data (tests/fuzz): `npm run fuzz`, or `npm run fuzz --
 * --seconds 60 --reader driver --seed 7`. Each reader has that many seconds. Prints the seed, which reproduces the documents, and how many each
 * reader got. Exit code 1 if a document is neither read nor refused, or takes more than 2 s of CPU time or 300 MiB; it is printed as small as
 * possible, and added to the corpus.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** Pattern of readers' names. */
    reader: { type: 'string', default: '.' },
  },
});

/** Memory limit of a reader for a small document. */
const MAX_MEMORY_MIB = 1024;

console.log(`fuzzing for ${values.seconds} s each with the seed ${values.seed}`);
const { status } = spawnSync(
  'npx',
  [
    'vitest',
    'run',
    '--project',
    'unit',
    '--reporter',
    'verbose',
    `--testNamePattern=${values.reader}`,
    'tests/fuzz/fuzz.test.ts',
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${MAX_MEMORY_MIB}`,
      WIREGAUGE_FUZZ_SECONDS: values.seconds,
      WIREGAUGE_FUZZ_SEED: values.seed,
    },
  },
);
process.exitCode = status ?? 1;
