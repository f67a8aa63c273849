import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storedCalibration, writeCalibration } from '../../../../src/measure/session/calibration.ts';
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
