import { counted, NO_FIGURE } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { grownLayers } from '../../judge/counts/sizes.ts';
import { type Answer, classOf, type Finding, type FindingClass } from '../../judge/verdict/finding.ts';
import { formatMetric, isCounted } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import type { Alert, Table } from '../document.ts';
import { aboutFinding } from '../views/about.ts';
import { type Cause, type CauseVerdict, causeLabel, causesOf } from './causes.ts';
import { adviceText, clauseOf, moreRoundsClause, roundsNeeded, unended } from './sentences.ts';
import type { ComparisonView } from './view.ts';
import {
  changeLimit,
  changeText,
  comparisonLabel,
  intervalText,
  percentSize,
  placeLabel,
  seenFrom,
  serviceName,
  valuesText,
  verdictWord,
} from './words.ts';

/** Texts of a finding, the same in every report; without escapes. */
export function rowOf(view: ComparisonView, finding: Finding) {
  const { cell, metric, noise, rounds, family } = finding;
  const found = classOf(finding);
  const isWatched = family === 'watch' && found !== 'not-seen';
  const [change, interval] = [changeText(finding), intervalText(finding)];
  const [verdict, note] = [verdictWord(finding), remark(finding)];
  return {
    /** Label with the service: "REST, GetUser p95, 500 users". */
    place: placeLabel(view, cell, metric),
    label: comparisonLabel(view, cell, metric),
    values: valuesText(finding),
    change,
    interval: interval === NO_FIGURE ? 'no interval' : interval,
    /** "+6.1% [+5.2, +7.0]". */
    shift: interval === NO_FIGURE ? `${change}, no interval` : `${change} ${interval}`,
    threshold: changeLimit(finding, finding.threshold),
    verdict,
    /** Verdict with its condition: "inconclusive: about 12 more rounds would do". */
    judged: note === '' ? verdict : `${verdict}${acceptedBy(finding)}: ${note}`,
    /** Reason, expiry or number of further rounds; may be empty. */
    remark: note,
    gating: isWatched ? ', not gating' : '',
    noise: noise.level,
    seen: seenFrom(finding),
    rounds,
    tone: isWatched ? undefined : TONES[found],
  };
}

/** User who accepted a regression, and when: " by someone on 2026-11-21"; plain text, empty if neither is known. */
function acceptedBy({ accepted }: Finding): string {
  const { by = '', at = '' } = accepted ?? {};
  const who = by === '' ? '' : ` by ${cleanText(by, MAX_NAME)}`;
  // A label has a time, of which the day is sufficient.
  const day = at.replace(/^(\d{4}-\d{2}-\d{2})T.*Z$/, '$1');
  return day === '' ? who : `${who} on ${cleanText(day, MAX_NAME)}`;
}

const MAX_NAME = 80;

const TONES: Partial<Record<FindingClass, 'worse' | 'better'>> = { regressed: 'worse', improved: 'better' };

export type ServiceFindings = readonly [service: string, findings: readonly Finding[]];

/** Findings of each service, in the original order of services and comparisons; those that can fail come first. */
export function byService(findings: readonly Finding[]): readonly ServiceFindings[] {
  return [...Map.groupBy(findings, ({ cell }) => cell.service)].map(([service, own]) => [
    service,
    own.toSorted((left, right) => Number(left.family !== 'gate') - Number(right.family !== 'gate')),
  ]);
}

/** Sentences of one kind that a reader must see; never empty. */
export interface ChangeGroup {
  readonly title: string;
  readonly isWorse: boolean;
  /** Plain text without escapes. */
  readonly sentences: readonly string[];
}

/** Changes without a row in the table, the worst first, and losses; without the one in the headline. */
export function changeGroups(view: ComparisonView, headlined?: Answer['of']): readonly ChangeGroup[] {
  const said = (isOf: (answer: Answer) => boolean) =>
    view.result.answers
      .filter(isOf)
      .map((answer) => {
        const advice = answer.by === 'loss' ? adviceText(answer.of) : '';
        return answer.of === headlined ? advice.trim() : `${clauseOf(view, answer)}.${advice}`;
      })
      .filter((sentence) => sentence !== '');
  const errors = (verdict: Answer['verdict'], isFigure: boolean) =>
    said((one) => one.by === 'errors' && one.verdict === verdict && (one.metric !== undefined) === isFigure);
  const groups: readonly ChangeGroup[] = [
    { title: 'Failed in head only', sentences: said(({ by, fails }) => by === 'loss' && fails), isWorse: true },
    { title: 'More errors', sentences: errors('worse', false), isWorse: true },
    { title: 'No longer 0', sentences: errors('worse', true), isWorse: true },
    { title: 'Over budget', sentences: said(({ by, fails }) => by === 'budget' && fails), isWorse: true },
    { title: 'Now 0', sentences: errors('better', true), isWorse: false },
    { title: 'Not judged', sentences: notJudgedSentences(view), isWorse: false },
    { title: 'Not compared', sentences: said(({ by, fails }) => by === 'loss' && !fails), isWorse: false },
  ];
  return groups.filter((group) => group.sentences.length > 0);
}

/** Operations whose responses changed, in a separate box: it may be a bug. */
export function answersAlert(view: ComparisonView): Alert {
  const changed = view.result.answers.filter(({ by }) => by === 'response');
  return {
    kind: 'alert',
    level: changed.some(({ fails }) => fails) ? 'caution' : 'warning',
    title: 'Responses changed',
    items: changed.map((one) => `${clauseOf(view, one)}.`),
  };
}

/** Verdicts that need no attention. */
export const QUIET: ReadonlySet<CauseVerdict> = new Set(['unchanged', 'too-noisy', 'too-few-rounds', 'not-seen']);

/** Causes that a reader must see, and those that are too noisy if that is the outcome. */
export function changedCauses(view: ComparisonView): readonly Cause[] {
  const isOpen = view.result.outcome === 'inconclusive';
  return causesOf(view).filter(
    ({ verdict, findings: [first] }) =>
      !QUIET.has(verdict) || (isOpen && verdict === 'too-noisy' && first.family === 'gate'),
  );
}

/** Row for each cause, with the figure that shows it best; the others are in small print. */
export function changesTable(view: ComparisonView, causes: readonly Cause[]): Table {
  const sizes = causes.map(({ verdict, findings: [first] }) => (verdict === 'too-noisy' ? 0 : sizeOf(first)));
  return {
    kind: 'table',
    caption: 'Changes by service and load, worst first',
    isList: true,
    columns: ['', 'change', 'base → head'],
    rows: causes.map((cause, index) => {
      const [finding] = cause.findings;
      const row = rowOf(view, finding);
      return {
        head: causeLabel(view, finding),
        note: noteOf(view, cause),
        about: aboutFinding(view, finding),
        cells: [
          {
            ...{ text: row.change, tone: row.tone, details: [{ text: row.interval }] },
            bar: (sizes[index] ?? 0) / Math.max(...sizes, 1e-9),
          },
          row.values,
        ],
      };
    }),
  };
}

const MAX_ALSO = 6;

function sizeOf({ change: { estimate } }: Finding): number {
  return Math.abs(Math.log1p(Math.max(estimate, -0.99)));
}

/** True for memory and sizes, which no change of the time explains. */
function isMemory({ metric }: Finding): boolean {
  return metric.endsWith('MiB') || metric === 'memoryGrowthPerRequest';
}

/** Metric of the row, its verdict, and other changes there with that verdict: the largest, and one for each operation, and for memory. */
function noteOf(view: ComparisonView, { findings: [first, ...rest], others }: Cause): string {
  const figure = figureLabel(view, first);
  if (first.verdict === 'inconclusive') {
    return `${figure}, ${classOf(first) === 'unproven' ? 'not yet proven' : 'too noisy'}`;
  }
  const word = verdictWord(first);
  const besides = remark(first);
  const verdict = word === 'regressed' ? '' : `, ${word}${acceptedBy(first)}${besides === '' ? '' : `: ${besides}`}`;
  const isNew = (one: Finding, place: number) =>
    ![first, ...rest.slice(0, place)].some(
      (other) => other.cell.operation === one.cell.operation && isMemory(other) === isMemory(one),
    );
  const news = rest.filter(isNew);
  const also = [...rest, ...others]
    .toSorted((left, right) => sizeOf(right) - sizeOf(left))
    .filter((one, place) => place < 2 || news.includes(one))
    .slice(0, MAX_ALSO)
    .map((one) => `${figureLabel(view, one)} ${changeText(one)}`);
  const gating = first.family === 'watch' ? ', not gating' : '';
  const layers = [first, ...rest, ...others].some(({ metric }) => metric === 'sizeMiB')
    ? layersOf(view, first.cell)
    : '';
  return `${figure}${verdict}${gating}${also.length === 0 ? '' : `; also ${also.join(', ')}`}${layers}`;
}

/** Layers of a service's build that grew: "; `RUN npm ci` 20 → 80 MiB"; empty if none did. */
function layersOf({ run }: ComparisonView, { service }: Finding['cell']): string {
  const layers = run === undefined ? [] : grownLayers(run.rounds, service);
  return layers
    .slice(0, 3)
    .map(({ command, base, head }) => {
      const [from, to] = [base, head].map((size) => formatMetric('sizeMiB', size));
      return `; ${cleanText(command, MAX_NAME)} ${base === 0 ? `${to}, new layer` : `${from} → ${to}`}`;
    })
    .join('');
}

function figureLabel(view: ComparisonView, { cell, metric }: Finding): string {
  return comparisonLabel(view, { ...cell, tier: ALL_TIERS }, metric);
}

/** Services, or rows, with too few rounds; empty if that is the headline. */
function notJudgedSentences(view: ComparisonView): readonly string[] {
  const unjudged = view.findings.filter(({ reason }) => reason === 'too-few-rounds');
  const isHeadline = unjudged.length === view.findings.length;
  const needed = roundsNeeded(view);
  return view.result.rounds.flatMap(({ service, kept }) => {
    const own = unjudged.filter(({ cell }) => cell.service === service);
    const rows = own.map(({ cell, metric }) => comparisonLabel(view, cell, metric)).join(', ');
    const fewest = Math.min(...own.map(({ rounds }) => rounds));
    const some = `: ${cleanText(rows, 1000)} could be compared in ${fewest} of ${kept} rounds`;
    const has = kept < needed ? ` has ${counted(kept, 'round')}` : some;
    const sentence = `${serviceName(view, service)}${has}, and a verdict needs ${needed}.`;
    return own.length === 0 || isHeadline || fewest >= needed ? [] : [sentence];
  });
}

function remark(finding: Finding): string {
  const { verdict, accepted, moreRounds } = finding;
  if (accepted !== undefined) {
    return `${unended(accepted.why)}, until ${unended(accepted.until)}`;
  }
  const found = classOf(finding);
  // The reason why a service was not judged is reported once, not in each of its rows.
  if (verdict !== 'inconclusive' || found === 'too-few-rounds') {
    return '';
  }
  if (found === 'not-seen' && isCounted(finding.metric)) {
    return `it varies by ${percentSize(finding.noise.sd)}`;
  }
  if (found === 'not-seen') {
    return finding.detectable === undefined ? '' : `only changes of ${seenFrom(finding)} or more would be`;
  }
  return moreRounds === undefined ? '' : moreRoundsClause(moreRounds);
}
