import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { updateBaseline } from '../../../../src/commands/history/baseline.ts';
import { publish } from '../../../../src/commands/history/publish.ts';
import { publishCheck } from '../../../../src/commands/pull-request/check.ts';
import { publishComment } from '../../../../src/commands/pull-request/comment.ts';
import { report } from '../../../../src/commands/runs/report.ts';
import { readComparison, readVersions } from '../../../../src/commands/runs/run-files.ts';
import { formatRun } from '../../../../src/model/run/run.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleMainJob } from '../../../support/sample-versus.ts';

const REFUSAL = /compares services with each other, not two versions$/;

let folder = '';
let file = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-'));
  file = join(folder, 'run.json');
  const run = sampleRounds();
  writeFileSync(file, formatRun({ ...run, rounds: { ...run.rounds, versus: { reference: 'rest' } } }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a main job with rounds of its services', () => {
  const write = () => {
    const path = join(folder, 'main-job.json');
    writeFileSync(path, formatRun(sampleMainJob().run));
    return path;
  };

  test('is a comparison of services for `judge`, and none of versions', () => {
    expect(readComparison(write()).rounds.versus).toEqual({ reference: 'rest' });
    expect(() => readVersions(write())).toThrow(REFUSAL);
  });

  test('is reported with what its rounds say', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    await report(write(), { out: folder });

    vi.restoreAllMocks();
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toMatch(
      /^\*\*gRPC serves as many requests per CPU second as REST: 0\.997 .* times\./,
    );
  });

  test('joins a baseline as any single run', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    await updateBaseline(write(), { folder, allowDirty: true });

    vi.restoreAllMocks();
  });
});

test('the report of a comparison of versions is the one that it was judged by', async () => {
  const path = join(folder, 'compared.json');
  writeFileSync(path, formatRun(sampleRounds({ worse: [{ service: 'rest', by: 0.1 }] })));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);

  await report(path, { out: join(folder, 'compared') });

  vi.restoreAllMocks();
  expect(readFileSync(join(folder, 'compared', 'report.md'), 'utf8')).toContain('Regression');
});

describe('a run in which services are compared with each other', () => {
  test('is a comparison, and none of versions', () => {
    expect(readComparison(file).rounds.versus).toEqual({ reference: 'rest' });
    expect(() => readVersions(file)).toThrow(REFUSAL);
  });

  test('is reported as what it is, and not as runs of one of them', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    await report(file, { out: folder });

    vi.restoreAllMocks();
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain(
      '* **Order:** both services up, loaded in short alternating blocks',
    );
  });

  test('enters no history and no baseline', async () => {
    const flags = { remote: 'origin', branch: 'gh-pages', folder: 'performance', allowDirty: true };

    await expect(publish(file, flags)).rejects.toThrow(REFUSAL);
    await expect(updateBaseline(file, { folder })).rejects.toThrow(REFUSAL);
  });

  test('is reported in no comment, and next to no commit, as a change of the pull request', async () => {
    const flags = { pullRequest: 'owner/name#1', comment: 'always', commentId: 'x' } as const;

    await expect(publishComment(file, flags)).rejects.toThrow(REFUSAL);
    await expect(publishCheck(file, { repository: 'owner/name', name: 'wiregauge' })).rejects.toThrow(REFUSAL);
  });
});
