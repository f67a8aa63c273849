import { cleanText, formatCount, formatDuration, NO_FIGURE } from '../foundation/index.ts';
import type { Calibration } from '../model/index.ts';
import { ALL_OPERATIONS, runnerClass } from '../model/index.ts';
import { counted, metricWord, percentSize } from './comparison/words.ts';
import { fitted, wrapped } from './render/terminal.ts';
import { startOf } from './views/facts.ts';

/** What a calibration found, for a terminal: false alarms, and by service, tier and metric what can be seen how soon. */
export function calibrationText(calibration: Calibration): string {
  const { at, wiregauge, suite, profile } = calibration;
  const sentences = [
    `Calibrated on ${startOf({ startedAt: at })}: suite ${suite}, profile ${profile}, Wiregauge ${cleanText(wiregauge)}`,
    machineOf(calibration),
    `${lengthOf(calibration)}, ${formatDuration(calibration.secondsPerRound)} each`,
    '',
    alarmSentence(calibration),
    '',
    ...legendOf(calibration),
  ];
  const tables = [
    '',
    ...tableOf(calibration, 'gate'),
    '',
    'Watched, failing nothing unless the policy says so:',
    ...tableOf(calibration, 'watch'),
  ];
  return [...sentences.flatMap((sentence) => wrapped(sentence)), ...tables].map((text) => `${text}\n`).join('');
}

/** One sentence for the reports of other runs; plain text that is not yet escaped. */
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

function machineOf({ runner }: Calibration): string {
  return `${runnerClass(runner)}, ${cleanText(runner.cpuModel)}, kernel ${cleanText(runner.kernel)}`;
}

function lengthOf({ rounds }: Calibration): string {
  return `${counted(rounds, 'round')} of one build against itself`;
}

function alarmSentence({ falseAlarms: { measured, drawn }, alpha }: Calibration): string {
  const drawnShare = percentSize(drawn.alarms / Math.max(1, drawn.compares));
  return (
    `False alarms: ${measured.alarms} of ${counted(measured.compares, 'comparison')} as measured; ` +
    `${drawn.alarms} of ${formatCount(drawn.compares)} drawn from the rounds with fresh labels: ${drawnShare}, ` +
    `95 % bounds ${percentSize(drawn.low)} to ${percentSize(drawn.high)}; designed for at most ${percentSize(alpha)}.`
  );
}

function legendOf({ mostRounds }: Calibration): readonly string[] {
  return [
    'Noise: how far head and base of one build differ in one round (robust standard deviation).',
    `Smallest: the smallest slowdown that fails in 95 of 100 comparisons of ${mostRounds} rounds.`,
    'Under each slowdown: the rounds, and minutes, after which it fails in 95 of 100.',
    'A star: it is not above the threshold, so it fails nothing; by then it is significant in 95 of 100.',
    'Where a tier has several operations, the noisiest of them is shown.',
  ];
}

type Row = Calibration['comparisons'][number];

const LABEL_WIDTH = 26;
const NOISE_WIDTH = 14;
const WIDTH = 12;

function tableOf({ comparisons, secondsPerRound }: Calibration, family: Row['family']): readonly string[] {
  const own = comparisons.filter((row) => row.family === family);
  const effects = own[0]?.wanted.map(({ effect }) => `+${formatCount(effect * 100)} %`) ?? [];
  const places = [...new Set(own.map(placeOf))];
  return places.flatMap((place) => {
    const rows = own.filter((row) => placeOf(row) === place);
    const lines = noisiestOf(rows).map((row) => lineOf(row, secondsPerRound));
    return [line([place, 'noise', 'smallest', ...effects]), ...lines];
  });
}

function placeOf({ cell }: Row): string {
  return `${cell.service}, ${cell.tier}`;
}

/** By metric, the row with the most noise. */
function noisiestOf(rows: readonly Row[]): readonly Row[] {
  const metrics = [...new Set(rows.map(({ metric }) => metric))];
  return metrics.flatMap((metric) => {
    const own = rows.filter((row) => row.metric === metric);
    const most = Math.max(...own.map(({ sd }) => sd));
    return own.filter(({ sd }) => sd === most).slice(0, 1);
  });
}

function lineOf({ cell, metric, sd, level, detectable, wanted, threshold }: Row, secondsPerRound: number): string {
  const operation = cell.operation === ALL_OPERATIONS ? '' : `${cell.operation} `;
  return line([
    `  ${operation}${metricWord(metric)}`,
    `${percentSize(sd)} ${level}`,
    detectable === undefined ? NO_FIGURE : percentSize(detectable),
    ...wanted.map(({ effect, rounds }) => {
      const time = rounds === undefined ? 'over 100' : `${rounds}, ${minutes(rounds * secondsPerRound)}`;
      return `${time}${effect <= threshold ? '*' : ' '}`;
    }),
  ]);
}

function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(seconds < 600 ? 1 : 0)} m`;
}

function line([label = '', noise = '', ...figures]: readonly string[]): string {
  const cells = figures.map((figure) => fitted(figure, WIDTH, 'right'));
  return `${fitted(label, LABEL_WIDTH, 'left')}${fitted(noise, NOISE_WIDTH, 'right')}${cells.join('')}`.trimEnd();
}
