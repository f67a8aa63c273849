import type { Proportion } from '../../src/judge/calibration/calibrate.ts';
import type { Row } from './tally.ts';

/** The table of all rules on all sources, in Markdown. */
export function tableOf(rows: readonly Row[], effects: readonly number[]): string {
  const titles = [
    'noise',
    'rule',
    'false alarms per pull request',
    ...effects.map((effect) => `${percent(effect)} found`),
    `mean rounds at 0 / ${effects.map(percent).join(' / ')}`,
  ];
  const lines = rows.map((row) => [
    row.source,
    row.rule,
    withBounds(row.falseAlarms),
    ...row.found.map(withBounds),
    row.rounds.map((rounds) => rounds.toFixed(rounds % 1 === 0 ? 0 : 1)).join(' / '),
  ]);
  return aligned([titles, ...lines]);
}

/** Promises of our rule for each source, compared with the rows: one line each. */
export interface Promised {
  readonly line: string;
  readonly isKept: boolean;
}

/** Unchanged pull requests that may alarm; peers with more false alarms than the second figure are no rivals. */
const MAX_FALSE_ALARMS = 0.01;
const RIVAL_BELOW = 0.05;

/** False alarms <= 1%, and the effect found at least as often as by any peer whose false alarms stay below 5%. */
export function promisesOf(rows: readonly Row[], effect: { readonly place: number; readonly name: string }) {
  return rows
    .filter(({ isOurs }) => isOurs)
    .flatMap((ours) => {
      const peers = rows.filter(({ source, isOurs }) => source === ours.source && !isOurs);
      return [alarmsOf(ours), detectionOf(ours, peers, effect)];
    });
}

function alarmsOf({ source, falseAlarms }: Row): Promised {
  const isKept = shareOf(falseAlarms) <= MAX_FALSE_ALARMS;
  return { line: `${source}: false alarms ${withBounds(falseAlarms)}, promised <= 1%`, isKept };
}

function detectionOf(
  ours: Row,
  peers: readonly Row[],
  { place, name }: { readonly place: number; readonly name: string },
): Promised {
  const foundBy = (row: Row) => row.found[place] ?? { count: 0, of: 0, low: 0, high: 1 };
  const rivals = peers.filter(({ falseAlarms }) => shareOf(falseAlarms) < RIVAL_BELOW);
  const best = rivals.reduce<Row | undefined>(
    (found, row) => (found === undefined || shareOf(foundBy(row)) > shareOf(foundBy(found)) ? row : found),
    undefined,
  );
  const own = foundBy(ours);
  const line = `${ours.source}: ${name} found ${withBounds(own)}`;
  if (best === undefined) {
    return { line: `${line}, no peer with false alarms below 5%`, isKept: true };
  }
  const theirs = foundBy(best);
  const word = statusOf(own, theirs);
  return {
    line: `${line}, ${word} the best peer with false alarms below 5%: ${best.rule}, ${withBounds(theirs)}`,
    isKept: word !== 'behind',
  };
}

/** Shares whose bounds overlap are level where ours is not the greater. */
function statusOf(own: Proportion, theirs: Proportion): 'ahead of' | 'level with' | 'behind' {
  if (shareOf(own) > shareOf(theirs)) {
    return 'ahead of';
  }
  return own.high >= theirs.low ? 'level with' : 'behind';
}

function shareOf({ count, of }: Proportion): number {
  return of === 0 ? 0 : count / of;
}

function withBounds(share: Proportion): string {
  const number = (value: number) => (100 * value).toFixed(1);
  return `${number(shareOf(share))}% [${number(share.low)}, ${number(share.high)}]`;
}

function percent(effect: number): string {
  return `+${Math.round(100 * effect)}%`;
}

/** A Markdown table whose columns line up in a terminal. */
function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const shown = lines.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [shown[0], rule, ...shown.slice(1)].join('\n');
}
