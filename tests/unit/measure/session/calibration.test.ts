import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logExpected, storedCalibration, writeCalibration } from '../../../../src/measure/session/calibration.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { anchoredProfile, PROFILES } from '../../../../src/model/profiles.ts';
import { restService, usersSuite } from '../../../support/suite.ts';
import { calibrationOf as calibrationFrom } from '../../judge/calibration/calibrations.ts';
import { recordedRounds } from '../../judge/calibration/recorded-rounds.ts';

const RECORD = calibrationFrom(recordedRounds({ rounds: 10, sd: 0.02, seed: 1 }), 0);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'calibration-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('calibrationOf', () => {
  const wanted = () => ({ root, runner: RECORD.runner, suite: RECORD.suite, profile: RECORD.profile });

  test('gives what was written in the same folder for the same machine, suite and profile', async () => {
    await writeCalibration(root, RECORD);
    const lines: string[] = [];

    expect(storedCalibration(wanted(), (line) => lines.push(line))).toEqual(RECORD);
    expect(lines).toEqual([]);
  });

  test.each([
    ['machine', { runner: { ...RECORD.runner, cpuModel: 'another' } }],
    ['number of cores', { runner: { ...RECORD.runner, cores: RECORD.runner.cores + 2 } }],
    ['suite', { suite: 'another' }],
    ['profile', { profile: 'another' }],
  ])('passes over the record of another %s', async (_what, change) => {
    await writeCalibration(root, RECORD);

    expect(storedCalibration({ ...wanted(), ...change }, () => undefined)).toBeUndefined();
  });

  test('says why a damaged record is passed over, and that there is none says nothing', () => {
    const lines: string[] = [];
    expect(storedCalibration(wanted(), (line) => lines.push(line))).toBeUndefined();
    expect(lines).toEqual([]);

    mkdirSync(join(root, '.wiregauge'));
    writeFileSync(join(root, '.wiregauge', 'calibration.json'), '{ "schema": 1, ');
    expect(storedCalibration(wanted(), (line) => lines.push(line))).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(/^calibration ignored: .*calibration\.json: is not valid JSON/)]);
  });
});

describe('how long a comparison takes if nothing changed', () => {
  const suite = { ...usersSuite(), services: ['rest'] };
  const services = new Map([['rest', restService('rest')]]);
  const rows = [{ service: 'rest', tier: 'saturation', metric: 'cpuMicrosPerRequest', sd: 0.01 }];
  const comparison = {
    ...{ suite, policy: DEFAULT_POLICY, place: { runtime: 'process' as const, services }, runner: RECORD.runner },
    ...{
      profile: PROFILES.quick.rounds,
      interleave: 'blocks' as const,
      stopsEarly: true,
      isCounted: true,
      budgetSeconds: 600,
    },
    ...{ calibration: undefined, storedNoise: () => ({ rows, source: '12 stored runs on this kind of machine' }) },
  };
  const linesOf = (change: object) => {
    const lines: string[] = [];
    logExpected({ ...comparison, ...change }, (line) => lines.push(line));
    return lines;
  };

  test('is said by the noise of stored runs, with the time in which instructions are counted', () => {
    const [counted = ''] = linesOf({});

    expect(counted).toMatch(
      /^expected: about \d+ min \d+ s if nothing changed \(rounds: 8 of rest\), by the noise of 12 stored runs on this kind of machine$/,
    );
    expect(linesOf({ isCounted: false })).not.toEqual([counted]);
    expect(linesOf({ budgetSeconds: 60 })[0]).toContain(', which the budget cuts to 1 min if nothing changed');
  });

  test('is asked of runs in the same place, by the same profile', () => {
    const requested: object[] = [];
    linesOf({ storedNoise: (place: object) => void requested.push(place) });

    expect(requested).toEqual([{ runner: RECORD.runner, runtime: 'process', profile: 'quick', interleave: 'blocks' }]);
  });

  test('is said by the calibration of this machine if there is one', () => {
    const [own] = RECORD.comparisons;
    const comparisons = [
      { ...own, cell: { suite: 'users', service: 'rest', operation: 'all', tier: 'saturation' } },
    ].map((one) => ({ ...one, metric: 'achievedRps', sd: 0.03 }));

    expect(linesOf({ calibration: { ...RECORD, comparisons } })).toEqual([
      expect.stringMatching(/\(rounds: 15 of rest\), by the noise of the calibration of \d{4}-\d\d-\d\d$/),
    ]);
  });

  test.each([
    ['if no noise is known', { storedNoise: undefined }],
    ['if that of a service is unknown', { suite: usersSuite() }],
    ['if nothing ends it early', { stopsEarly: false }],
    ['of a comparison with an anchor', { profile: anchoredProfile(PROFILES.smoke.rounds) }],
  ])('is not said %s', (_when, change) => {
    expect(linesOf(change)).toEqual([]);
  });
});
