import type { linkedSession } from './chains.ts';
import { NOT_HTTP, type ObservedRequest, obstacleOf, placeOf, withPlainBoundary } from './request.ts';
import { ownText, RouteTree } from './routes.ts';

export interface Traffic {
  readonly routes: RouteTree;
  /** Number of requests that are used. */
  readonly count: number;
  /** Number of the others by reason, in words. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** Values of earlier responses in requests. */
  readonly session?: Pick<ReturnType<typeof linkedSession>, 'chains' | 'prepare'>;
  /** Requests per second in minutes with requests; undefined without times. */
  readonly rate: { readonly median: number; readonly peak: number } | undefined;
}

const MAX_HOSTS = 50;

const MAX_MINUTES = 100_000;

/** Collects requests of any number of files in bounded memory. */
export class TrafficCollector {
  readonly #known: readonly string[];
  readonly #hosts = new Map<string, RouteTree>();
  readonly #leftOut = new Map<string, number>();
  readonly #minutes = new Map<string, number>();

  /** `known`: paths of the contract or the sources, like `/users/{id}`. */
  constructor(known: readonly string[]) {
    this.#known = known;
  }

  add(request: ObservedRequest): void {
    const place = placeOf(request);
    const obstacle = place === undefined ? NOT_HTTP : obstacleOf(request, place);
    const tree = place && obstacle === undefined ? this.#treeOf(place.host) : undefined;
    if (place === undefined || tree === undefined) {
      this.leaveOut(obstacle ?? 'other hosts');
      return;
    }
    tree.add(withPlainBoundary(request), place);
    const { minute } = request;
    const inMinute = minute === undefined ? undefined : this.#minutes.get(minute);
    if (minute !== undefined && (inMinute !== undefined || this.#minutes.size < MAX_MINUTES)) {
      this.#minutes.set(inMinute === undefined ? ownText(minute) : minute, (inMinute ?? 0) + 1);
    }
  }

  leaveOut(reason: string, count = 1): void {
    this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + count);
  }

  /** Requests of one host, and those without a host: the host with the most requests of known routes, else with the most requests. */
  end(): Traffic {
    const { '': own, ...hosts } = Object.fromEntries(this.#hosts);
    const routes = own ?? new RouteTree(this.#known);
    const [first, ...others] = Object.values(hosts).toSorted(
      (a, b) => b.knownCount - a.knownCount || b.root.count - a.root.count,
    );
    if (first !== undefined) {
      routes.addAll(first);
    }
    const foreign = others.reduce((sum, { root }) => sum + root.count, 0);
    if (foreign > 0) {
      this.leaveOut('other hosts', foreign);
    }
    return { routes, count: routes.root.count, leftOut: this.#leftOut, rate: rateOf([...this.#minutes.values()]) };
  }

  #treeOf(host: string): RouteTree | undefined {
    const plain = host.replace(/:(?:80|443)$/, '');
    const own = this.#hosts.get(plain);
    if (own !== undefined || this.#hosts.size >= MAX_HOSTS) {
      return own;
    }
    const tree = new RouteTree(this.#known);
    this.#hosts.set(plain, tree);
    return tree;
  }
}

/** Fewer minutes give no reliable rate. */
const FEWEST_MINUTES = 5;

function rateOf(counts: readonly number[]): Traffic['rate'] {
  const sorted = counts.toSorted((a, b) => a - b);
  const [median = 0, peak = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return counts.length < FEWEST_MINUTES ? undefined : { median: median / 60, peak: peak / 60 };
}
