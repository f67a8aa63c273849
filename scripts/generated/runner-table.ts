import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText } from '../../src/foundation/text.ts';
import { SATURATION } from '../../src/model/metric.ts';
import { type Calibration, parseCalibration } from '../../src/model/run/calibration.ts';
import { runnerClass } from '../../src/model/runner.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

const FOLDER = 'docs/runners';

/** Document with a table of the calibrations in docs/runners: the results for each kind of machine. */
export function withRunners(text: string, records = readRecords()): string {
  const lines =
    records.length === 0
      ? ['No kind of runner has been measured yet.']
      : table([
          ['runner', 'hypervisor', 'steal', 'noise of CPU time, one round', 'smallest change found', 'measured'],
          ...records.map(rowOf),
        ]);
  return withGenerated(text, 'the runners', lines);
}

function readRecords(): readonly Calibration[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => parseCalibration(readFileSync(join(FOLDER, file), 'utf8'), join(FOLDER, file)));
}

function rowOf(record: Calibration): readonly string[] {
  const { runner, hypervisor = 'unknown', stealShare, comparisons, suite, profile, at } = record;
  const informative = comparisons.filter(
    (one) => one.cell.tier === SATURATION && one.metric === 'cpuMicrosPerRequest' && one.family === 'gate',
  );
  const each = (figure: (one: Calibration['comparisons'][number]) => number | undefined): string =>
    informative.map((one) => `${one.cell.service} ${percent(figure(one))}`).join(', ');
  return [
    `${runnerClass(runner)}, ${cell(cleanText(runner.cpuModel, 80))}${runner.image === undefined ? '' : `, ${cell(cleanText(runner.image, 80))}`}`,
    cell(cleanText(hypervisor, 80)),
    percent(stealShare),
    each(({ sd }) => sd),
    each(({ detectable }) => detectable),
    `${at.slice(0, 10)}, suite ${suite}, ${profile}, ${record.rounds} rounds`,
  ];
}

function percent(share: number | undefined): string {
  return share === undefined ? 'unknown' : `${(share * 100).toFixed(1)}%`;
}
