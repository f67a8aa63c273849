import { expect, test } from 'vitest';
import { withRunners } from '../../../../scripts/generated/runner-table.ts';
import { calibrationRecord } from '../../../../src/model/run/calibration.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const DOCUMENT = '# Runners\n\n<!-- the runners (made) -->\n<!-- end -->\n';
const alarms = { compares: 1, alarms: 0, low: 0, high: 1 };
const noise = { threshold: 0.05, rounds: 13, sd: 0.0123, level: 'low', detectable: 0.042, wanted: [] } as const;
const cell = { suite: 'users', service: 'rest', operation: 'all', tier: 'saturation' };
const RECORD = calibrationRecord({
  ...{
    wiregauge: '1.0.0',
    at: '2026-11-29T00:00:00.000Z',
    suite: 'users',
    profile: 'quick',
    runner: sampleRounds().runner,
  },
  ...{ hypervisor: 'Vendor | Product', stealShare: 0.012, rounds: 13, secondsPerRound: 34, mostRounds: 30 },
  ...{ alpha: 0.02, floor: 0.01, falseAlarms: { measured: alarms, drawn: alarms } },
  comparisons: [
    { ...noise, cell, metric: 'cpuMicrosPerRequest', family: 'gate' },
    { ...noise, cell: { ...cell, tier: 'high' }, metric: 'latencyP95Ms', family: 'watch' },
  ],
});

test('a kind of runner has a row of its calibration', () => {
  expect(withRunners(DOCUMENT, [RECORD])).toMatch(
    /core, [^|]+ \| Vendor \\\| Product \| 1\.2% +\| rest 1\.2% +\| rest 4\.2% +\| 2026-11-29, suite users, quick, 13 rounds \|/,
  );
});

test('without a calibration it says so', () => {
  expect(withRunners(DOCUMENT, [])).toContain('No kind of runner has been measured yet.');
});
