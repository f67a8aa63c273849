import { wordList } from '../../src/foundation/text.ts';
import type { StudyEvidence, Times } from '../../src/judge/study/versus.ts';
import { METRICS, SATURATION } from '../../src/model/metric.ts';
import type { Run } from '../../src/model/run/run.ts';
import { arrivalTiers, leastClosedTiers } from '../../src/model/suite/suite.ts';
import { boundsText, metricWord, ratioText, timesText } from '../../src/report/comparison/words.ts';
import { type Labels, reportLabels } from '../../src/report/views/run-view.ts';
import { contrastsOf, designsIn, type FactorContrast, type FactorialDesign } from '../judge/design.ts';
import { type Effect, effectOf, type FigurePlace, type LeadReading, leadAt } from '../judge/effects.ts';

/** Factors of a design, and the effect of each; texts are not escaped. */
export interface EffectsView extends EffectsReading {
  readonly title: string;
  /** Parts of a lead, at equal rates and at saturation; empty if no lead could be divided. */
  readonly sentences: readonly string[];
  /** Meaning of the brackets, and factors that change each other's effect. */
  readonly notes: readonly string[];
}

export function viewEffects(run: Run, evidence: StudyEvidence): readonly EffectsView[] {
  const readings = designsIn(run).map((design) => ({ design, reading: readingOf(run, design, evidence) }));
  return readings
    .filter(({ reading }) => reading.columns.length > 0)
    .map(({ design, reading }) => ({
      title: `Effect of each factor${design.runtime === undefined ? '' : RUNTIME_WORDS[design.runtime]}`,
      sentences: reading.columns.flatMap((column) => (column.isReported ? leadSentences(reading, column) : [])),
      notes: [...interactionSentences(reading), bracketSentence(reading)],
      ...reading,
    }));
}

const RUNTIME_WORDS = { process: ', as plain processes', docker: ', in containers' } as const;

/** Column of the tables: effects on one figure. */
interface EffectColumn extends FigurePlace {
  /** True if the paragraph describes it: the first equal rate, and saturation or the load closest to it. */
  readonly isReported: boolean;
  readonly lead: LeadReading | undefined;
  readonly effect: (steps: FactorContrast['steps']) => Effect | undefined;
}

interface EffectsReading {
  readonly labels: Labels;
  readonly columns: readonly EffectColumn[];
  readonly contrasts: readonly FactorContrast[];
}

function readingOf(run: Run, design: FactorialDesign, evidence: StudyEvidence): EffectsReading {
  const contrasts = contrastsOf(design);
  const measured = placesOf(run).filter((place) =>
    contrasts.some(({ steps }) => effectOf(steps, place, evidence) !== undefined),
  );
  const reported = [
    measured.find(({ metric }) => metric === 'cpuMicrosPerRequest'),
    measured.findLast(({ metric }) => metric === 'achievedRps'),
  ];
  const columns = measured.map((place) => ({
    ...place,
    isReported: reported.includes(place),
    lead: leadAt(design, place, evidence),
    effect: (steps: FactorContrast['steps']) => effectOf(steps, place, evidence),
  }));
  return { labels: reportLabels(run), columns, contrasts };
}

/** CPU time at equal rates; requests per second of users without think time, and at saturation. */
function placesOf({ suite }: Run): readonly FigurePlace[] {
  return [
    ...arrivalTiers(suite.tiers).map(({ name }) => ({ tier: name, metric: 'cpuMicrosPerRequest' as const })),
    ...leastClosedTiers(suite.tiers).map(({ name }) => ({ tier: name, metric: 'achievedRps' as const })),
    { tier: SATURATION, metric: 'achievedRps' },
  ];
}

/** "At saturation gRPC answers 1.39 times [1.34, 1.45] the requests/s of REST: protobuf multiplies it by 1.39 [1.3, 1.5], …." */
function leadSentences({ labels }: EffectsReading, { lead, tier, metric }: EffectColumn): readonly string[] {
  if (lead === undefined || lead.parts.length === 0) {
    return [];
  }
  const [own, against] = [labels.service(lead.own), labels.service(lead.against)];
  const figure = timesWords(lead.whole.times);
  const what =
    metric === 'achievedRps'
      ? `answers ${figure} as many requests/s as ${against}`
      : `takes ${figure} the CPU time per request of ${against}`;
  const parts = lead.parts.map(
    ({ name, effect }, place) => `${name} ${place === 0 ? 'multiplies it by' : 'by'} ${ratioText(effect.times)}`,
  );
  return [`At ${labels.tier(tier)} ${own} ${what}: ${wordList(parts)}.`, lessonOf(lead, metric)];
}

/** "1.39 times [1.34, 1.45]". */
function timesWords(times: Times): string {
  return `${timesText(times.times)} times ${boundsText(times)}`.trimEnd();
}

/** In words: effects for the better, for the worse, and inconclusive ones. */
function lessonOf({ parts }: LeadReading, metric: FigurePlace['metric']): string {
  const isMore = METRICS[metric].better === 'higher';
  const named = (required: Side): readonly string[] =>
    parts.filter(({ effect }) => sideOf(effect.times) === required).map(({ name }) => name);
  const [good, bad, open] = [named(isMore ? 'above' : 'below'), named(isMore ? 'below' : 'above'), named('open')];
  const clauses = [
    ...(good.length === 0 ? [] : [`${wordList(good)} ${verbOf(good, 'makes it better', 'make it better')}`]),
    ...(bad.length === 0 ? [] : [`${wordList(bad)} ${verbOf(bad, 'makes it worse', 'make it worse')}`]),
    ...(open.length === 0 ? [] : [`no clear difference for ${wordList(open)}`]),
  ];
  return `So ${clauses.join('; ')}.`;
}

function verbOf(names: readonly string[], one: string, several: string): string {
  return names.length === 1 ? one : several;
}

type Side = 'above' | 'below' | 'open';

function sideOf({ low = 0, high = Number.POSITIVE_INFINITY }: Times): Side {
  return low > 1 ? 'above' : high < 1 ? 'below' : 'open';
}

/** For each reported metric the two conditional effects that are furthest apart, if their intervals do not overlap. */
function interactionSentences({ labels, columns, contrasts }: EffectsReading): readonly string[] {
  return columns.flatMap((column) => {
    const apart = column.isReported ? contrasts.flatMap((contrast) => apartIn(contrast, column)) : [];
    const [most] = apart.toSorted((left, right) => right.gap - left.gap);
    return most === undefined
      ? []
      : [
          `The effect of “${most.to}” on ${metricWord(column.metric)} at ${labels.tier(column.tier)} depends on the ${most.factor}: ${timesWords(most.least.times)} with ${most.least.level}, ${timesWords(most.greatest.times)} with ${most.greatest.level}.`,
        ];
  });
}

interface AtLevel {
  readonly level: string;
  readonly times: Times;
}

interface Apart {
  readonly to: string;
  readonly factor: string;
  readonly least: AtLevel;
  readonly greatest: AtLevel;
  readonly gap: number;
}

function apartIn({ to, within }: FactorContrast, { effect }: EffectColumn): readonly Apart[] {
  return [...new Set(within.map(({ factor }) => factor))].flatMap((factor): readonly Apart[] => {
    const levels = within
      .filter((one) => one.factor === factor)
      .flatMap(({ level, steps }): readonly AtLevel[] => {
        const times = effect(steps)?.times;
        return times === undefined ? [] : [{ level, times }];
      })
      .toSorted((left, right) => left.times.times - right.times.times);
    const [least, greatest] = [levels[0], levels.at(-1)];
    const isApart =
      least !== undefined && greatest !== undefined && (least.times.high ?? Infinity) < (greatest.times.low ?? 0);
    return isApart ? [{ to, factor, least, greatest, gap: greatest.times.times / least.times.times }] : [];
  });
}

function bracketSentence({ columns, contrasts }: EffectsReading): string {
  const effects = columns.flatMap(({ effect }) => contrasts.flatMap(({ steps }) => effect(steps) ?? []));
  return effects.every(({ by }) => by === 'rounds')
    ? 'Brackets are 95% intervals.'
    : 'Brackets are the margin of single starts, not a 95% interval; `wiregauge versus` gives intervals.';
}

/** Part for the top of a report; the section has the rest. */
export function effectsClaims(views: readonly EffectsView[]): readonly string[] {
  return views.flatMap(({ sentences }) => (sentences.length === 0 ? [] : [sentences.join(' ')]));
}
