import { ConfigError } from '../../../foundation/errors.ts';
import { counted } from '../../../foundation/numbers.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { ExampleArguments, LeftOutService, Proposal, Proposals, ProposedOperation } from '../services/proposal.ts';
import { shortList } from '../write/project-text.ts';
import { readTraffic } from './files.ts';
import {
  type ObservedOperation,
  type ObservedOperations,
  observedOperations,
  type PreparingRequest,
} from './operations.ts';
import { variablesIn } from './secrets.ts';
import type { Traffic } from './traffic.ts';

export interface TrafficProposal {
  readonly proposal: Proposal;
  /** Bodies that are too long for the configuration, by their paths. */
  readonly bodies: Readonly<Record<string, string>>;
  readonly tiers: readonly { readonly name: string; readonly requestsPerSecond: number }[];
  /** Variables for secrets. */
  readonly variables: readonly string[];
}

export interface TrafficOptions {
  readonly writes: boolean;
  readonly isSet: (variable: string) => boolean;
}

/** More would make each of them too short to measure. */
const MAX_SENT = 10;

/** Limit of additional operations, which are written but not sent. */
const MAX_UNSENT = 5;

/** First service that answers over HTTP, with the operations of traffic files. */
export async function proposalFromTraffic(
  proposals: Proposals,
  from: readonly string[],
  options: TrafficOptions,
): Promise<TrafficProposal> {
  const proposal = proposals.find(({ protocol }) => protocol !== 'grpc') ?? proposals[0];
  return trafficProposal(proposal, await readTraffic(from, knownPaths(proposal)), options);
}

export function trafficProposal(
  proposal: Proposal,
  traffic: Traffic,
  { writes, isSet }: TrafficOptions,
): TrafficProposal {
  const observed = observedOperations(traffic.routes.root);
  const { operations } = observed;
  if (operations.length === 0) {
    throw new ConfigError(`the traffic has no request that can be sent: ${observed.unusable} with \${…}`, {
      code: 'WG-105',
      next: 'Replace `${…}` in the file by its value.',
    });
  }
  const isSent = (one: ObservedOperation): boolean => (writes || !one.mayWrite) && one.variables.every(isSet);
  const sent = operations.filter(isSent);
  if (sent.length === 0) {
    const lacking = [...new Set(operations.flatMap((one) => one.variables))].filter((name) => !isSet(name));
    throw new ConfigError('each request of the traffic may change data, or needs a variable that is not set', {
      code: 'WG-105',
      next: `Add --writes to send those that may change data${lacking.length === 0 ? '' : `, and set ${shortList(lacking)}`}.`,
    });
  }
  const taken = [...sent.slice(0, MAX_SENT), ...operations.filter((one) => !isSent(one)).slice(0, MAX_UNSENT)];
  const shown = taken.map((one) => withoutLongBody(one, isSent(one) ? weightOf(one, traffic) : 0));
  const headers = Object.assign({}, ...taken.map(({ secretHeaders }) => secretHeaders).toReversed());
  const rest = operations.filter((one) => !taken.includes(one));
  const prepare = neededIn(traffic.session?.prepare ?? [], [shown, headers]);
  const variables = [...taken.flatMap((one) => one.variables), ...variablesIn([headers, prepare])];
  return {
    proposal: {
      ...proposal,
      protocol: 'rest',
      proto: undefined,
      operations: shown.map(({ operation }) => operation),
      from: 'traffic',
      further: [],
      logins: [],
      hasWebSocket: false,
      headers: { ...proposal.headers, ...headers },
      prepare,
      leftOut: [...proposal.leftOut, ...leftOutOf(proposal.name, traffic, { ...observed, rest })],
    },
    bodies: Object.assign({}, ...shown.map(({ bodies }) => bodies)),
    tiers: tiersOf(traffic, sent.length),
    variables: [...new Set(variables)].toSorted(),
  };
}

/** Entry for files of a repository with requests of clients, which only `--from` reads. */
export function unreadTraffic(files: readonly RepositoryFile[]): readonly LeftOutService[] {
  const paths = files
    .filter(({ path }) => TRAFFIC.test(path))
    .map(({ path }) => path.replace(/(?:^|\/)bruno\.json$/, '') || '.');
  const why = 'has requests that clients send: `wiregauge init --force --from <file>` measures them';
  return paths.length === 0 ? [] : [{ name: shortList(paths), why }];
}

const TRAFFIC = /\.(?:har|http|rest)$|postman_collection\.json$|(?:^|\/)bruno\.json$/i;

/** Preparing requests whose values are used by other requests or by later preparing ones. */
function neededIn(all: readonly PreparingRequest[], used: readonly unknown[]): readonly PreparingRequest[] {
  const [last] = all.slice(-1);
  if (last === undefined) {
    return [];
  }
  const names = Object.entries(last.capture).filter(([name]) => JSON.stringify(used).includes(`\${prepare.${name}}`));
  const needed = names.length === 0 ? [] : [{ ...last, capture: Object.fromEntries(names) }];
  return [...neededIn(all.slice(0, -1), [...used, ...needed]), ...needed];
}

function knownPaths({ operations, further }: Proposal): readonly string[] {
  const written = operations.flatMap(({ binding }) => ('rest' in binding ? binding.rest : []));
  const paths = written.map((rest) => (typeof rest === 'string' ? rest : `GET ${rest.path}`));
  return [...paths, ...further].flatMap((line) => /^[A-Z]+ (\/[^\s?]*)/.exec(line)?.[1] ?? []);
}

/** Percent of the requests, as a whole number. */
function weightOf({ count }: ObservedOperation, traffic: Traffic): number {
  return Math.max(1, Math.round((100 * count) / traffic.count));
}

/** Longer bodies would hide the rest of a configuration. */
const LONG_BODY = 2000;

/** Moves a long body to a file, unless it has secrets: these are filled in only in a configuration. */
function withoutLongBody(
  { name, example, further = [], binding, variables }: ObservedOperation,
  weight: number,
): { readonly operation: ProposedOperation; readonly bodies: TrafficProposal['bodies'] } {
  const { body, ...rest } = example ?? {};
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  const isFilled = variables.length > 0 || text.includes('${prepare.');
  if (text.length <= LONG_BODY || isFilled || !('rest' in binding) || typeof binding.rest === 'string') {
    return { operation: { name, weight, example, further, binding }, bodies: {} };
  }
  const file = `bodies/${name}.${typeof body === 'string' ? 'txt' : 'json'}`;
  const rows = [rest, ...further.map(({ body: _, ...others }): ExampleArguments => others)];
  const [first = {}, ...others] = [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
  const own = Object.keys(first).length === 0 ? undefined : first;
  const request = { ...binding.rest, body: { file } };
  return {
    operation: { name, weight, example: own, further: others, binding: { rest: request } },
    bodies: { [file]: text },
  };
}

function leftOutOf(
  name: string,
  { leftOut, count, session: { chains } = { chains: [], prepare: [] } }: Traffic,
  { rest, rare, unusable }: ObservedOperations & { readonly rest: readonly ObservedOperation[] },
): readonly LeftOutService[] {
  const share = Math.round((100 * rest.reduce((sum, one) => sum + one.count, 0)) / count);
  const enough = 'the most frequent are enough to begin with';
  const listed = shortList(rest.map(({ route }) => route));
  const others = [
    [unusable, 'parts like ${…}, or secret names', counted(unusable, 'request')],
    [rest.length, `${name}: ${listed}`, `${share}% of the requests; ${enough}`],
    [chains.length, `${name}: ${shortList(chains)}`, 'the arguments are those of the traffic'],
    [rare, `${name}: ${counted(rare, 'rare route')}`, enough],
  ] as const;
  return [
    ...[...leftOut].map(([reason, number]) => ({ name: reason, why: counted(number, 'request') })),
    ...others.flatMap(([number, what, why]) => (number === 0 ? [] : [{ name: what, why }])),
  ];
}

/** A lower rate reveals little about a service, and each operation needs one request per second. */
const LEAST_RATE = 10;

function tiersOf({ rate }: Traffic, operations: number): TrafficProposal['tiers'] {
  const [median, peak] = [Math.round(rate?.median ?? 0), Math.round(rate?.peak ?? 0)];
  const tiers = [
    { name: 'median', requestsPerSecond: median },
    { name: 'peak', requestsPerSecond: peak },
  ];
  return median < Math.max(LEAST_RATE, operations) ? [] : median === peak ? tiers.slice(1) : tiers;
}
