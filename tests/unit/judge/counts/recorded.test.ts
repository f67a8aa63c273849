import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { ALL_OPERATIONS } from '../../../../src/model/metric.ts';
import { parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { listsOf } from '../../../support/result-lists.ts';

const FOLDER = 'tests/fixtures/recorded/counts';

test.each(readdirSync(FOLDER))('what was counted next to other work is judged by what changed: %s', (name) => {
  const run = parseRun(readFileSync(`${FOLDER}/${name}`, 'utf8'), name) as RunInRounds;
  const [changed] = name.split('-');

  const { findings } = listsOf(judgeRun(run, run.rounds.policy));

  const wholes = findings.filter(
    ({ cell, metric }) => cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest',
  );
  expect(Object.fromEntries(wholes.map(({ cell, verdict }) => [cell.service, verdict]))).toEqual({
    rest: changed === 'rest' ? 'regressed' : 'unchanged',
    grpc: changed === 'grpc' ? 'regressed' : 'unchanged',
  });
  expect(findings.filter(({ verdict }) => verdict === 'regressed').every(({ cell }) => cell.service === changed)).toBe(
    true,
  );
});
