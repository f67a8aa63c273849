import type * as z from 'zod';
import type { publishedSchema, RatioTest, StudyFigure, StudyFinding } from '../run/study.ts';
import type { Place, RuntimeName } from '../service.ts';

/** Published results in a suite: each may be for one runtime. */
export interface Published extends Omit<z.infer<typeof publishedSchema>, 'figures' | 'findings'> {
  readonly figures: readonly PublishedFigure[];
  readonly findings?:
    | readonly (Omit<StudyFinding, 'holdsIf'> & { readonly holdsIf: readonly SuiteTest[] })[]
    | undefined;
}

/** Test that may be for one runtime only, or compare one with the other; `publishedIn` fills in the services of a run. */
interface SuiteTest extends RatioTest {
  /** Undefined: any runtime. */
  readonly runtime?: RuntimeName | undefined;
  readonly againstRuntime?: RuntimeName | undefined;
}

interface PublishedFigure extends StudyFigure {
  /** Runtime of the published value; undefined: it is shown for all. */
  readonly runtime?: RuntimeName | undefined;
}

/** Both runtimes; plain processes come first, since the others are compared with them. */
export const RUNTIME_NAMES: readonly RuntimeName[] = ['process', 'docker'];

export function inRuntime(service: string, runtime: RuntimeName): string {
  return `${service}-${runtime}`;
}

export function asPlainProcess(contained: string): string {
  return inRuntime(contained.slice(0, -inRuntime('', 'docker').length), 'process');
}

/** Published results for a run in that place, without figures of the other runtime. */
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
