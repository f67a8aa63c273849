import { counted } from '../../foundation/numbers.ts';
import { cleanText, shortCommit } from '../../foundation/text.ts';
import { changeOfRatio, driftAnswers, ratioFor } from '../../judge/drift/drift.ts';
import { type AnswerBy, worseness } from '../../judge/verdict/finding.ts';
import { SATURATION } from '../../model/metric.ts';
import type { StoredDrift } from '../../model/run/anchor.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { changeLimit, changeText, intervalText, metricWord, placeLabel, serviceName } from '../comparison/words.ts';
import type { Block } from '../document.ts';

type Drift = AnswerBy<'drift'>;

const MAX_NAME = 120;

/** Number of services that are named before the line only mentions that there are more. */
const MAX_SERVICES = 3;

/** Distance of the head from its anchor, without a period: the steadiest metric of each service. */
export function anchoredLine(view: ComparisonView, name: string): string {
  const text = driftText(view, driftsIn(view));
  return text === ''
    ? `No ratio to ${named(name)}: nothing could be compared with it`
    : `Since ${named(name)}: ${text}`;
}

/** Anchor that was compared by way of another commit, and the intervals that are wider because of it; undefined for any other comparison. */
export function chainSentence({ run }: ComparisonView): string | undefined {
  const anchor = run?.rounds.anchor;
  return anchor?.through === undefined
    ? undefined
    : `${named(anchor.name)} can no longer be compared. The base is ${shortCommit(anchor.through.commit)}, whose ratio to it is stored: the ratios are multiplied, which widens the intervals.`;
}

/** Clause about a drift over its limit: "REST, CPU per request, saturation: +5.6% [+5.0, +6.2] since v1.4.0, over the limit of +5%". */
export function driftClause(view: ComparisonView, drift: Drift, name: string): string {
  const place = cleanText(placeLabel(view, drift.cell, drift.metric), MAX_NAME);
  return `${place}: ${changeText(drift.of)} ${intervalText(drift.of)} since ${named(name)}${limitClause(drift)}`;
}

/**
 * Drift of the default branch with a pull request from its anchor and the newest runs there: one line without a period. Undefined if no history was
 * read, or it has no runs.
 */
export function storedDriftLine(view: ComparisonView): string | undefined {
  const { run, findings } = view;
  const stored = run?.rounds.stored;
  if (run === undefined || stored === undefined) {
    return undefined;
  }
  const { anchor, commit, ratios } = stored;
  if (anchor === undefined || commit === undefined) {
    return COLLECTING;
  }
  const record = { ...anchor, through: { commit, ratios } };
  const all = driftAnswers(findings, record, run.rounds.policy);
  const text = driftText(view, all, (drift) => recentClause(drift, stored));
  const other = commit === run.rounds.base.commit ? '' : `, measured at ${shortCommit(commit)}`;
  return text === ''
    ? `Drift since ${named(anchor.name)}: no figure of this comparison is in the newest anchored run`
    : `Drift since ${named(anchor.name)}, with this change${other}: ${text}`;
}

const COLLECTING = 'Drift: collecting; no push to the default branch has been compared with an anchor yet';

function recentClause({ of: drift }: Drift, { recent }: StoredDrift): string {
  const usual = ratioFor(drift, recent.ratios);
  if (usual === undefined || recent.runs < FEWEST_RECENT) {
    return '';
  }
  const { ratio, spread } = drift.ratio;
  const change = changeOfRatio({ ratio: ratio / usual.ratio, spread: Math.hypot(spread, usual.spread) });
  return `, ${changeText({ change })} ${intervalText({ change })} against the last ${counted(recent.runs, 'run')} there`;
}

/** With fewer runs, the median is not a level. */
const FEWEST_RECENT = 3;

/** Every metric with a ratio to the anchor, the worst share of its limit first. */
export function driftTable(view: ComparisonView): readonly Block[] {
  const rows = worstFirst(driftsIn(view)).map(({ of: drift, fails }) => ({
    head: cleanText(placeLabel(view, drift.cell, drift.metric), MAX_NAME),
    cells: [
      { text: changeText(drift), details: [{ text: intervalText(drift) }] },
      drift.limit === undefined ? 'none' : changeLimit(drift, drift.limit),
      fails ? { text: 'over the limit', tone: 'worse' as const } : drift.limit === undefined ? 'not judged' : 'within',
    ],
  }));
  const columns = ['', 'change [95%]', 'limit', { text: 'verdict', isText: true }];
  const caption = `Head against ${named(view.run?.rounds.anchor?.name ?? 'the anchor')}`;
  return rows.length === 0 ? [] : [{ kind: 'table', caption, columns, rows }];
}

function driftsIn({ result }: ComparisonView): readonly Drift[] {
  return result.answers.filter((answer) => answer.by === 'drift');
}

function relevantDrifts(drifts: readonly Drift[]): readonly Drift[] {
  const found = [...Map.groupBy(drifts, ({ cell }) => cell.service).values()].flatMap((own) => {
    const over = worstFirst(own.filter(({ fails }) => fails));
    const cpu = own.find(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION);
    return over[0] ?? cpu ?? own.find(({ metric }) => metric === 'instructionsPerRequest') ?? own[0] ?? [];
  });
  return worstFirst(found);
}

function worstFirst(drifts: readonly Drift[]): readonly Drift[] {
  const size = ({ of }: Drift) => worseness(of, of.change.estimate);
  return drifts.toSorted((left, right) => Number(right.fails) - Number(left.fails) || size(right) - size(left));
}

/** Drift of some services, each by its steadiest metric; empty for none. */
function driftText(
  view: ComparisonView,
  drifts: readonly Drift[],
  further: (drift: Drift) => string = () => '',
): string {
  const said = relevantDrifts(drifts).map(
    (drift) => `${serviceName(view, drift.cell.service)} ${shiftOf(drift)}${limitClause(drift)}${further(drift)}`,
  );
  const more = said.length - MAX_SERVICES;
  return `${said.slice(0, MAX_SERVICES).join('; ')}${more > 0 ? `; and ${counted(more, 'more service')}` : ''}`;
}

function shiftOf({ of: drift }: Drift): string {
  return `${changeText(drift)} ${cleanText(metricWord(drift.metric), MAX_NAME)} ${intervalText(drift)}`;
}

function limitClause({ of: drift, fails }: Drift): string {
  if (drift.limit === undefined) {
    return '';
  }
  const limit = changeLimit(drift, drift.limit);
  return fails ? `, over the limit of ${limit}` : ` (limit ${limit})`;
}

function named(anchor: string): string {
  return cleanText(anchor, MAX_NAME);
}
