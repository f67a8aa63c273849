/** A program that reads the run.json of an artifact, as the second stage of a pull request from a fork does, and prints what came of it. */

import { readFileSync } from 'node:fs';
import { KnownError } from '../../src/foundation/errors.ts';
import { MAX_ARTIFACT_BYTES, MAX_ARTIFACT_FILES } from '../../src/github/host/artifacts.ts';
import { textInZip } from '../../src/host/files/zip.ts';
import { parseRun } from '../../src/model/run/run.ts';

const [, , file = ''] = process.argv;
const limits = { entries: MAX_ARTIFACT_FILES, bytes: MAX_ARTIFACT_BYTES };
try {
  const { samples } = parseRun(await textInZip(readFileSync(file), 'run.json', limits), 'run.json');
  process.stdout.write(`read: ${samples.length} samples`);
} catch (thrown) {
  if (!(thrown instanceof KnownError)) {
    throw thrown;
  }
  process.stdout.write(`refused: ${thrown.message}`);
}
