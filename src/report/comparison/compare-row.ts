import { cleanText } from '../../foundation/escape.ts';
import { NO_FIGURE } from '../../foundation/reading-numbers.ts';
import type { Finding } from '../../judge/verdict/finding.ts';
import { remark } from './compare-changes.ts';
import type { ComparisonView } from './compare-view.ts';
import {
  changeText,
  comparisonLabel,
  intervalText,
  isAccepted,
  placeLabel,
  seenFrom,
  thresholdText,
  valuesText,
  verdictWord,
} from './compare-words.ts';

/** The figures of a comparison as texts, the same in every report; not yet escaped. */
export interface FindingRow {
  /** With the service: "REST, GetUser p95, 500 users". */
  readonly place: string;
  /** Without the service. */
  readonly label: string;
  readonly values: string;
  readonly change: string;
  readonly interval: string;
  readonly threshold: string;
  readonly verdict: string;
  /** Who accepted it and when, for right behind the verdict; may be empty. */
  readonly acceptedBy: string;
  /** Why, until when, how many more rounds; may be empty. */
  readonly remark: string;
  readonly noise: Finding['noise']['level'];
  readonly seen: string;
  readonly rounds: number;
  /** How its verdict is coloured. */
  readonly standing: 'worse' | 'better' | 'neutral';
  readonly isWatched: boolean;
}

/** The texts of a finding. */
export function rowOf(view: ComparisonView, finding: Finding): FindingRow {
  const { cell, metric, noise, rounds, family } = finding;
  return {
    place: placeLabel(view, cell, metric),
    label: comparisonLabel(view, cell, metric),
    values: valuesText(finding),
    change: changeText(finding),
    interval: intervalText(finding),
    threshold: thresholdText(finding),
    verdict: verdictWord(finding),
    acceptedBy: acceptedBy(finding),
    remark: remark(finding),
    noise: noise.level,
    seen: seenFrom(finding),
    rounds,
    standing: standingOf(verdictWord(finding)),
    isWatched: family === 'watch',
  };
}

/** The change with its interval: "+6.1 % [+5.2, +7.0]". */
export function shiftText({ change, interval }: FindingRow): string {
  return interval === NO_FIGURE ? `${change}, no interval` : `${change} ${interval}`;
}

/** The verdict with what must be known besides: "inconclusive: about 12 more rounds would do". */
export function verdictText({ verdict, acceptedBy: by, remark: besides }: FindingRow): string {
  return besides === '' ? verdict : `${verdict}${by}: ${besides}`;
}

/** The same for a table that mixes both families. */
export function judgedInFamily(row: FindingRow): string {
  return row.isWatched ? `${verdictText(row)}, only watched` : verdictText(row);
}

/** Who accepted a regression, and when: " by someone on 2026-11-21"; plain text, empty where neither is on record. */
function acceptedBy(finding: Finding): string {
  const { by = '', at = '' } = isAccepted(finding) ? (finding.accepted ?? {}) : {};
  const who = by === '' ? '' : ` by ${cleanText(by, MOST_NAME)}`;
  // A label has a time, of which the day is enough.
  const day = at.replace(/^(\d{4}-\d{2}-\d{2})T.*Z$/, '$1');
  return day === '' ? who : `${who} on ${cleanText(day, MOST_NAME)}`;
}

const MOST_NAME = 80;

function standingOf(verdict: string): FindingRow['standing'] {
  if (verdict === 'regressed') {
    return 'worse';
  }
  return verdict === 'improved' ? 'better' : 'neutral';
}

/** A service and what was found of it. */
export type ServiceFindings = readonly [service: string, findings: readonly Finding[]];

/** The findings of each service, in the order in which services and comparisons came; those that can fail go first. */
export function byService({ result }: ComparisonView): readonly ServiceFindings[] {
  const services = [...new Set(result.findings.map(({ cell }) => cell.service))];
  return services.map((service) => {
    const own = result.findings.filter(({ cell }) => cell.service === service);
    return [service, own.toSorted((left, right) => rank(left) - rank(right))];
  });
}

function rank({ family }: Finding): number {
  return family === 'gate' ? 0 : 1;
}
