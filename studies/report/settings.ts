import { formatCount, NO_FIGURE } from '../../src/foundation/numbers.ts';
import { wordList } from '../../src/foundation/text.ts';
import { hasMark } from '../../src/judge/reading/cells.ts';
import type { StudyEvidence } from '../../src/judge/study/versus.ts';
import { ALL_OPERATIONS, type MetricName, SATURATION } from '../../src/model/metric.ts';
import type { Run } from '../../src/model/run/run.ts';
import { arrivalTiers } from '../../src/model/suite/suite.ts';
import { endsText, ratioText, timesText } from '../../src/report/comparison/words.ts';
import { list, paragraph, type Section, type Table, type TableRow } from '../../src/report/document.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import { type Labels, reportLabels } from '../../src/report/views/run-view.ts';
import { metricText } from '../../src/report/views/service-comparison.ts';
import { type AimReading, type Gain, type Recommendation, recommended, variantsIn } from '../judge/settings.ts';

/** Recommended setting of a service with variants, as texts; not escaped. */
export interface SettingsView {
  readonly service: string;
  /** The recommendation, or a sentence that there is none. */
  readonly outcome: string;
  /** Gain in the aim with the clearest difference. */
  readonly reason: string | undefined;
  /** Gain in each aim, and what is inconclusive. */
  readonly sentences: readonly string[];
  readonly notes: readonly string[];
  readonly table: Table;
}

export function viewSettings(run: Run, evidence: StudyEvidence): readonly SettingsView[] {
  const labels = reportLabels(run);
  return variantsIn(run).map((variants) => {
    const found = recommended(variants, evidence);
    const aim = found && surest(found);
    const service = variants.runtime === undefined ? variants.service : `${variants.service} (${variants.runtime})`;
    const reading = { run, labels, evidence, found };
    return {
      service,
      outcome:
        found === undefined
          ? `No setting of ${service} can be recommended: no two of them were measured at saturation.`
          : outcomeOf(labels, service, found),
      reason: aim && aimSentence(labels, aim),
      sentences: found?.aims.map((aim) => aimSentence(labels, aim)) ?? [],
      notes: found === undefined ? [] : notesOf(reading, found),
      table: settingsTable(reading, variants.names),
    };
  });
}

/** The recommendation with its basis, and a table of all settings; a section for each service. */
export function settingsSections(views: readonly SettingsView[]): readonly Section[] {
  return views.map(({ service, outcome, sentences, notes, table }, place) => ({
    id: `settings-${place + 1}`,
    title: `Recommended setting of ${service}`,
    blocks: [paragraph(outcome, 'strong'), list(sentences), table, list(notes)],
  }));
}

/** Part for the top of a report; the section has the rest. */
export function settingsClaims(views: readonly SettingsView[]): readonly string[] {
  return views.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`));
}

/** Aim in which the recommended setting is best: the one with the most distinct settings, else the first. */
function surest({ aims, setting }: Recommendation): AimReading | undefined {
  const own = aims.filter(({ best }) => best === setting);
  const [aim] = own.toSorted((left, right) => left.alike.length - right.alike.length);
  return aim ?? aims[0];
}

const AIMS: Readonly<Record<AimReading['aim'], { readonly verb: string; readonly what: string }>> = {
  rate: { verb: 'answers', what: 'requests/s at saturation' },
  cpu: { verb: 'serves', what: 'requests per CPU second' },
};

function outcomeOf(labels: Labels, service: string, { setting, aims }: Recommendation): string {
  const [aim] = aims;
  if (setting === undefined || aim === undefined) {
    const each = aims.map(({ aim: by, best }) => `${labels.service(best)} ${AIMS[by].verb} the most ${AIMS[by].what}`);
    return `No setting of ${service} is best in every respect: ${each.join(', ')}.`;
  }
  const label = labels.service(setting);
  const isFirst = aims.every(({ first }) => first === setting);
  if (!isFirst) {
    return `Recommended for ${service}: ${label}.`;
  }
  const isSure = aims.every(({ best, alike }) => best === setting && alike.length === 0);
  return isSure
    ? `Recommended for ${service}: ${label}, the first setting. All others do less.`
    : `Keep ${label}, the first setting of ${service}: in this run, no other setting is clearly better in every respect.`;
}

/** "Most requests/s at saturation: rest.gevent-1, 1.42 times as many as rest.sync-1, the first setting (95% interval 1.38 to 1.46)." */
function aimSentence(labels: Labels, { aim, first, best, next, lead, alike, gains }: AimReading): string {
  const most = `Most ${AIMS[aim].what}: ${labels.service(best)}`;
  const [gain, other] =
    best === first
      ? [lead, next === undefined ? '' : `${labels.service(next)}, the next`]
      : [gains.get(best), `${labels.service(first)}, the first setting`];
  const much =
    gain === undefined ? '' : `, ${timesText(gain.times.times)} times as many as ${other} (${sureness(gain)})`;
  const open = alike.map((name) => labels.service(name));
  return `${most}${much}.${open.length === 0 ? '' : ` This run cannot distinguish it from ${wordList(open)}.`}`;
}

function sureness({ times: { low, high }, by }: Gain): string {
  if (low === undefined || high === undefined) {
    return 'too few rounds for an interval';
  }
  const ends = endsText({ low, high }, ' to ') || 'unbounded';
  return by === 'rounds' ? `95% interval ${ends}` : `${ends} from single starts, not an interval`;
}

interface SettingsReading {
  readonly run: Run;
  readonly labels: Labels;
  readonly evidence: StudyEvidence;
  readonly found: Recommendation | undefined;
}

function notesOf(
  { run, labels, evidence }: SettingsReading,
  { variants, aims, failing, unmeasured }: Recommendation,
): readonly string[] {
  const named = (names: readonly string[]): string => wordList(names.map((name) => labels.service(name)));
  const isBySlots = aims.some(({ lead }) => lead?.by === 'slots');
  const disturbed = variants.names.filter((name) => isBySlots && isDisturbed(evidence, name));
  const open = aims.find(({ alike, lead }) => alike.length > 0 || lead?.by === 'slots');
  const pair = open && [...new Set([open.first, open.best, ...(open.next === undefined ? [] : [open.next])])];
  return [
    ...(failing.length === 0
      ? []
      : [`Not considered, because over 1% of the requests failed at saturation: ${named(failing)}.`]),
    ...(unmeasured.length === 0 ? [] : [`Not compared, because not measured at saturation: ${named(unmeasured)}.`]),
    ...(disturbed.length === 0
      ? []
      : [
          `Other programs disturbed the single starts of ${named(disturbed)} at saturation, so they may be off by more than the margin.`,
        ]),
    ...(pair === undefined
      ? []
      : [`To be more certain, compare these in rounds: wiregauge versus ${pair.join(' ')} --suite ${run.suite.name}`]),
  ];
}

function isDisturbed({ slots }: StudyEvidence, service: string): boolean {
  return hasMark(slots?.at({ service, operation: ALL_OPERATIONS, tier: SATURATION }), 'disturbed');
}

function settingsTable(reading: SettingsReading, names: readonly string[]): Table {
  const { run, labels } = reading;
  const [low] = arrivalTiers(run.suite.tiers);
  const leads = reading.found?.aims.flatMap(({ lead }) => lead ?? []) ?? [];
  const times = leads.every(({ by }) => by === 'rounds') ? 'ratio [95% CI]' : 'ratio [margin]';
  return {
    kind: 'table',
    isCaptioned: true,
    caption: 'All settings at saturation, the first one as the reference',
    columns: [
      'setting',
      { text: 'sets', isText: true, only: ['markdown', 'html'] },
      'requests/s',
      times,
      'requests per CPU second',
      times,
      ...(low === undefined ? [] : [`p99, ${labels.tier(low.name)}`]),
      'memory',
    ],
    rows: names.map((name) => settingRow(reading, name, low?.name)),
  };
}

function settingRow(reading: SettingsReading, name: string, low: string | undefined): TableRow {
  const { run, labels } = reading;
  const set = run.services.find((service) => service.name === name)?.variant?.environment ?? {};
  const text = (tier: string, metric: MetricName) =>
    metricText(metric, figureAt(reading, { service: name, tier, metric }));
  const micros = figureAt(reading, { service: name, tier: SATURATION, metric: 'cpuMicrosPerRequest' });
  return {
    head: labels.service(name),
    about: aboutOf(run, { services: [name] }),
    cells: [
      Object.entries(set)
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
      text(SATURATION, 'achievedRps'),
      gainText(reading, name, 'rate'),
      micros === undefined || micros <= 0 ? NO_FIGURE : formatCount(Math.round(1e6 / micros)),
      gainText(reading, name, 'cpu'),
      ...(low === undefined ? [] : [text(low, 'latencyP99Ms')]),
      text(SATURATION, 'peakMemoryMiB'),
    ],
  };
}

function gainText({ found }: SettingsReading, name: string, by: AimReading['aim']): string {
  const reading = found?.aims.find(({ aim }) => aim === by);
  return reading?.first === name ? 'first' : ratioText(reading?.gains.get(name)?.times);
}

interface FigurePlace {
  readonly service: string;
  readonly tier: string;
  readonly metric: MetricName;
}

/** Median from the measurements of the gains, rounds or slots; from the others if those have none. */
function figureAt(reading: SettingsReading, place: FigurePlace): number | undefined {
  const { found, evidence } = reading;
  const inRounds = figureInRounds(evidence, place);
  const inSlots = evidence.slots?.at({ ...place, operation: ALL_OPERATIONS })?.figures[place.metric]?.median;
  const isBySlots = found?.aims.some(({ gains }) => [...gains.values()].some(({ by }) => by === 'slots')) === true;
  return isBySlots ? (inSlots ?? inRounds) : (inRounds ?? inSlots);
}

function figureInRounds({ paired }: StudyEvidence, { service, tier, metric }: FigurePlace): number | undefined {
  const ratios = paired?.pairings.flatMap((pairing) =>
    pairing.service === service || paired.reference === service ? pairing.ratios : [],
  );
  const found = ratios?.find(
    (one) => one.metric === metric && one.cell.tier === tier && one.cell.operation === ALL_OPERATIONS,
  );
  return found && (found.cell.service === service ? found.other : found.reference);
}
