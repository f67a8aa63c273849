import { counted } from '../../foundation/numbers.ts';
import type { Operation, Suite } from '../../model/suite/suite.ts';
import { readSuite } from '../../project/suite.ts';
import type { RestBinding } from '../../protocols/rest/binding.ts';
import { readTraffic } from '../init/traffic/files.ts';
import { observedRoutes } from '../init/traffic/operations.ts';
import type { Traffic } from '../init/traffic/traffic.ts';
import { type Diagnosis, warning, warningIf } from './diagnosis.ts';

/** Share of the traffic that a configuration measures, and the rest. Shares are from 0 to 1. */
interface Coverage {
  readonly requests: number;
  readonly share: number;
  /** Routes without an operation, the most frequent first. */
  readonly missing: readonly { readonly route: string; readonly share: number }[];
  /** Routes whose shares of the measured requests differ from their weights. */
  readonly drifted: readonly { readonly route: string; readonly weight: number; readonly share: number }[];
}

export async function coverageOf(root: string, suite: string | undefined, files: readonly string[]): Promise<Coverage> {
  const measured = measuredRoutes(readSuite(root, suite).suite);
  const paths = [...measured.keys()].map((route) => route.slice(route.indexOf(' ') + 1));
  return coverageBy(measured, await readTraffic(files, paths));
}

/** Limits from which a share has drifted. */
const DRIFT = { points: 0.05, times: 1.5 };

const MAX_MISSING = 10;

/** Weights of routes, as shares, by method and path without names of arguments: "GET /users/{}". */
export function measuredRoutes({
  operations,
  groups = [{ operations }],
}: Pick<Suite, 'operations'> & {
  readonly groups?: readonly { readonly operations: readonly Operation[] }[] | undefined;
}): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { bindings, share } of groups.flatMap((group) => group.operations)) {
    const { method, path } = (bindings.rest ?? {}) as Partial<RestBinding>;
    if (method !== undefined && path !== undefined) {
      const route = anonymous(`${method} ${path.replace(/\?.*$/s, '').replace(/(.)\/$/, '$1')}`);
      shares.set(route, (shares.get(route) ?? 0) + share / groups.length);
    }
  }
  return shares;
}

function anonymous(route: string): string {
  return route.replace(/\{\w+\}/g, '{id}');
}

export function coverageBy(measured: ReadonlyMap<string, number>, { routes, count }: Traffic): Coverage {
  const observed = new Map<string, { readonly route: string; readonly count: number }>();
  for (const one of observedRoutes(routes.root)) {
    const key = anonymous(one.route);
    observed.set(key, { route: one.route, count: one.count + (observed.get(key)?.count ?? 0) });
  }
  const covered = [...observed].filter(([key]) => measured.has(key));
  const sum = covered.reduce((total, [, one]) => total + one.count, 0);
  const weights = [...measured.values()].reduce((total, share) => total + share, 0);
  const missing = [...observed].filter(([key]) => !measured.has(key)).map(([, one]) => one);
  return {
    requests: count,
    share: sum / count,
    missing: missing
      .toSorted((a, b) => b.count - a.count)
      .map(({ route, count: own }) => ({ route, share: own / count })),
    drifted: [...measured].flatMap(([route, share]) => {
      const own = { route, weight: share / weights, share: (observed.get(route)?.count ?? 0) / Math.max(1, sum) };
      const [less = 0, more = 0] = [own.weight, own.share].toSorted((a, b) => a - b);
      return more - less >= DRIFT.points && more >= DRIFT.times * less ? [own] : [];
    }),
  };
}

const ABOUT = 'traffic';

export function coverageDiagnoses(
  { requests, share, missing, drifted }: Coverage,
  atLeast: number,
): readonly Diagnosis[] {
  const says = `${percent(share)} of ${counted(requests, 'request')} are of measured operations`;
  const more = `At least ${percent(atLeast)} should be: add operations, or run \`wiregauge init --from\` again.`;
  const add = 'Add an operation, or give it a weight, if its speed matters.';
  return [
    warningIf(share < atLeast, ABOUT, says, '', more),
    ...missing
      .slice(0, MAX_MISSING)
      .map((one) =>
        warning(ABOUT, `${one.route}: ${percent(one.share)} of the requests, and no operation that is sent`, add),
      ),
    ...drifted.map(({ route, weight, share: own }) =>
      warning(
        ABOUT,
        `${route}: ${percent(own)} of the measured requests, and a weight of ${percent(weight)}`,
        'Set its `weight`.',
      ),
    ),
  ];
}

function percent(share: number): string {
  return `${Math.floor(100 * share)}%`;
}
