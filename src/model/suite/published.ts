import type { RatioTest } from '../run/study.ts';
import type { Place, RuntimeName } from '../service.ts';
import type { Published, PublishedFigure, SuiteTest } from './suite.ts';

/** Both, plain processes first: they are what the others are held against. */
export const RUNTIME_NAMES: readonly RuntimeName[] = ['process', 'docker'];

/** What a service is called in a run that has it in both runtimes. */
export function inRuntime(service: string, runtime: RuntimeName): string {
  return `${service}-${runtime}`;
}

/** What a service of such a run is called as plain process, by its name in containers. */
export function asPlainProcess(contained: string): string {
  return inRuntime(contained.slice(0, -inRuntime('', 'docker').length), 'process');
}

/**
 * What a study published, for a run in that place. Figures of the other runtime are left out, and a test of a service there names one that
 * is not part of the run. In a run of both runtimes, what names none is about plain processes.
 */
export function publishedIn({ figures, findings, cost, ...rest }: Published, place: Place['runtime']): Published {
  const nameOf = (service: string, runtime: RuntimeName | undefined): string =>
    place === 'both' || (runtime !== undefined && runtime !== place)
      ? inRuntime(service, runtime ?? 'process')
      : service;
  const figureIn = ({ runtime, ...figure }: PublishedFigure): readonly PublishedFigure[] =>
    place === 'both' || runtime === undefined || runtime === place
      ? [{ ...figure, service: nameOf(figure.service, runtime) }]
      : [];
  const testIn = ({ runtime, againstRuntime = runtime, ...test }: SuiteTest): RatioTest => ({
    ...test,
    service: nameOf(test.service, runtime),
    ...(test.against !== undefined && { against: nameOf(test.against, againstRuntime) }),
  });
  return {
    ...rest,
    figures: figures.flatMap(figureIn),
    ...(findings !== undefined && {
      findings: findings.map(({ holdsIf, ...finding }) => ({ ...finding, holdsIf: holdsIf.map(testIn) })),
    }),
    ...(cost !== undefined && {
      cost: { ...cost, totals: cost.totals.map((total) => ({ ...total, service: nameOf(total.service, undefined) })) },
    }),
  };
}
