import type { ComparisonResult, HistoryComparison } from '../../judge/index.ts';
import { formatMetric, type MetricName, type Run, type RunInRounds, type VersusRun } from '../../model/index.ts';
import type { RunView, ServiceView, TierView } from './run-view.ts';
import { cellAt, wholeOf } from './service-comparison.ts';

/** A published figure's place, and per service what was published and what this run has, over all operations. */
export interface PublishedRow {
  readonly tier: TierView;
  readonly metric: MetricName;
  readonly services: readonly PublishedPair[];
}

/** Either is undefined if there is none. Both are shown side by side and never judged: the machines differ. */
export interface PublishedPair {
  readonly service: ServiceView;
  readonly published: string | undefined;
  readonly ours: string | undefined;
}

/** The services of a run that the study has figures for. */
export function publishedServices(view: RunView): readonly ServiceView[] {
  const figures = view.run.suite.published?.figures ?? [];
  return view.services.filter(({ name }) => figures.some(({ service }) => service === name));
}

/** The study's figures beside this run's, in the order of tiers and of the study's metrics; none if the run has none of its services. */
export function publishedRows(view: RunView): readonly PublishedRow[] {
  const figures = view.run.suite.published?.figures ?? [];
  const services = publishedServices(view);
  const tiers = services.length === 0 ? [] : view.tiers;
  return tiers.flatMap((tier) => {
    const metrics = new Set(figures.filter((figure) => figure.tier === tier.name).map(({ metric }) => metric));
    return [...metrics].map((metric) => ({
      tier,
      metric,
      services: services.map((service) => ({
        service,
        published: figures.find(
          (figure) => figure.service === service.name && figure.tier === tier.name && figure.metric === metric,
        )?.text,
        ours: oursOf(view, { tier, metric, service }),
      })),
    }));
  });
}

interface Place {
  readonly tier: TierView;
  readonly metric: MetricName;
  readonly service: ServiceView;
}

function oursOf(view: RunView, { tier, metric, service }: Place): string | undefined {
  const figure = cellAt(view, wholeOf(tier), service)?.figures[metric];
  return figure === undefined ? undefined : formatMetric(metric, figure.median);
}

/** What a report is made from: the run, and what was judged of it. */
export type Judgement = RunJudgement | ComparisonJudgement;

/** A run, and how it stands against stored runs, if a baseline was given. */
export interface RunWithStored {
  readonly run: Run;
  readonly against: HistoryComparison | undefined;
}

/** A run of which no comparison was judged. */
export interface RunJudgement extends RunWithStored {
  readonly compared?: undefined;
  /** How the services of a main job stand against each other, if it held them so in rounds. */
  readonly versus?: VersusJudgement | undefined;
}

/** A run in rounds, and how head stands against base in it. */
export interface ComparisonJudgement extends RunWithStored {
  readonly run: RunInRounds;
  readonly compared: ComparisonResult;
  readonly versus?: undefined;
}

/** The rounds of a main job, and what they say. */
export interface VersusJudgement {
  readonly run: VersusRun;
  readonly compared: ComparisonResult;
}

/** A report: the same judgement always gives the same text. */
export type Report = (judgement: Judgement) => string;
