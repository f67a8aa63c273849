import { counted, formatCount, formatDuration, NO_FIGURE } from '../../foundation/numbers.ts';
import type { CountedSteadiness } from '../../judge/counts/counted.ts';
import { ALL_OPERATIONS, formatMetric } from '../../model/metric.ts';
import type { Calibration } from '../../model/run/calibration.ts';
import { runnerClass } from '../../model/runner.ts';
import { metricWord, percentSize } from '../comparison/words.ts';
import { type Document, list, paragraph, type Table } from '../document.ts';
import { PLAIN } from '../render/lines.ts';
import { terminalOf } from '../render/terminal.ts';
import { startOf } from '../views/facts.ts';

/** Result of a calibration, for a terminal: false alarms, and the smallest detectable change, by service, tier and metric. */
export function calibrationText(calibration: Calibration): string {
  return terminalOf(calibrationDocument(calibration), PLAIN);
}

/** Result of a calibration for instructions per request: one line per service; empty if nothing was counted. */
export function steadinessText(services: readonly CountedSteadiness[]): string {
  return services.map((one) => `${steadinessLine(one)}\n`).join('');
}

function steadinessLine({ service, perRequest, starts, spread, ...sizes }: CountedSteadiness): string {
  const { threshold, supported, detectable } = sizes;
  const found = detectable === undefined ? '' : `, and finds a regression of ${percentSize(detectable)}`;
  const counts = `${service}: ${formatMetric('instructionsPerRequest', perRequest)} instructions/request; starts differ by up to ${percentSize(spread)}`;
  return supported < threshold
    ? `${counts}; a threshold of ${percentSize(threshold)} is high enough${found}`
    : `${counts}; a threshold of ${percentSize(threshold)} is too low for ${counted(starts, 'start')} of each version: use more than ${percentSize(supported)}`;
}

function calibrationDocument(calibration: Calibration): Document {
  const { at, wiregauge, suite, profile, runner } = calibration;
  const origin = { startedAt: at, wiregauge };
  const facts = [
    { name: 'Calibrated', value: `${startOf(origin)}, suite ${suite}, profile ${profile}, Wiregauge ${wiregauge}` },
    { name: 'Machine', value: `${runnerClass(runner)}, ${runner.cpuModel}, kernel ${runner.kernel}` },
    { name: 'Rounds', value: `${lengthOf(calibration)}, ${formatDuration(calibration.secondsPerRound)} each` },
  ];
  const watched = tableOf(calibration, 'watch', 'Not gating, unless set in the policy');
  return {
    title: 'Calibration',
    facts: [],
    summary: [{ kind: 'facts', facts }, paragraph(alarmSentence(calibration)), list(legendOf(calibration))],
    sections: [
      { id: 'gate', title: 'Detectable changes', blocks: [tableOf(calibration, 'gate', 'Gating comparisons')] },
      { id: 'watch', title: watched.caption, blocks: [watched] },
    ],
    origin,
  };
}

/** Sentence for the reports of other runs; plain text without escapes. */
export function calibrationLine(calibration: Calibration): string {
  const { drawn } = calibration.falseAlarms;
  const tiers = [...new Set(calibration.comparisons.map(({ cell }) => cell.tier))].flatMap((tier) => {
    const seen = calibration.comparisons.flatMap(({ cell, family, detectable }) =>
      cell.tier === tier && family === 'gate' ? (detectable ?? []) : [],
    );
    return seen.length === 0 ? [] : [`${percentSize(Math.min(...seen))} at ${tier}`];
  });
  const smallest = tiers.length === 0 ? '' : `; the smallest slowdown that it finds is ${tiers.join(', ')}`;
  const alarms = `${counted(drawn.alarms, 'false alarm')} in ${formatCount(drawn.compares)} comparisons drawn from them`;
  return `On this machine, calibrated on ${startOf({ startedAt: calibration.at })} with ${lengthOf(calibration)}: ${alarms}${smallest}.`;
}

function lengthOf({ rounds }: Calibration): string {
  return `${counted(rounds, 'round')} of one build against itself`;
}

function alarmSentence({ falseAlarms: { measured, drawn }, alpha }: Calibration): string {
  const drawnShare = percentSize(drawn.alarms / Math.max(1, drawn.compares));
  return (
    `False alarms: ${measured.alarms} of ${counted(measured.compares, 'comparison')} as measured; ` +
    `${drawn.alarms} of ${formatCount(drawn.compares)} drawn from the rounds with fresh labels: ${drawnShare}, ` +
    `95% bounds ${percentSize(drawn.low)} to ${percentSize(drawn.high)}; designed for at most ${percentSize(alpha)}.`
  );
}

function legendOf({ mostRounds }: Calibration): readonly string[] {
  return [
    'Noise: how far head and base of one build differ in one round (robust standard deviation).',
    `Smallest: the smallest slowdown that fails in 95 of 100 comparisons of ${mostRounds} rounds.`,
    'Under each slowdown: the rounds, and minutes, after which it fails in 95 of 100.',
    'A * means: not above the threshold, so it never fails; by then it is significant in 95 of 100.',
    'If a tier has several operations, the noisiest of them is shown.',
  ];
}

type Row = Calibration['comparisons'][number];

function tableOf({ comparisons, secondsPerRound }: Calibration, family: Row['family'], caption: string): Table {
  const own = comparisons.filter((row) => row.family === family);
  const effects = own[0]?.wanted.map(({ effect }) => `+${formatCount(effect * 100)}%`) ?? [];
  const places = Map.groupBy(own, ({ cell }) => `${cell.service}, ${cell.tier}`);
  return {
    kind: 'table',
    caption,
    columns: ['', 'noise', 'smallest', ...effects],
    rows: [...places].flatMap(([place, all]) => noisiestOf(all).map((row) => rowOf(row, place, secondsPerRound))),
  };
}

/** Row of each metric with the most noise. */
function noisiestOf(rows: readonly Row[]): readonly Row[] {
  return [...Map.groupBy(rows, ({ metric }) => metric).values()].flatMap((own) =>
    own.toSorted((left, right) => right.sd - left.sd).slice(0, 1),
  );
}

function rowOf({ cell, metric, sd, level, detectable, wanted, threshold }: Row, group: string, roundSeconds: number) {
  const operation = cell.operation === ALL_OPERATIONS ? '' : `${cell.operation} `;
  return {
    group,
    head: `${operation}${metricWord(metric)}`,
    cells: [
      `${percentSize(sd)} ${level}`,
      detectable === undefined ? NO_FIGURE : percentSize(detectable),
      ...wanted.map(({ effect, rounds }) => {
        const time = rounds === undefined ? 'over 100' : `${rounds}, ${minutes(rounds * roundSeconds)}`;
        return `${time}${effect <= threshold ? '*' : ''}`;
      }),
    ],
  };
}

function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(seconds < 600 ? 1 : 0)} m`;
}
