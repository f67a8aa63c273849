import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../../../foundation/errors.ts';
import { counted, formatShare } from '../../../foundation/numbers.ts';
import { wordList } from '../../../foundation/text.ts';
import type { Side } from '../../../model/rounds.ts';
import type { PolicyChangeRecord, RoundsRecord } from '../../../model/run/rounds.ts';
import { beginningOf } from '../../../model/secrets/mask.ts';
import type { Need, Service } from '../../../model/service.ts';
import { groupedOperations } from '../../../model/suite/groups.ts';
import { networkWords } from '../../../model/suite/network.ts';
import { type Operation, type Suite, type Tier, tiersWith } from '../../../model/suite/suite.ts';
import { tierWords } from '../../../model/suite/tier-words.ts';
import type { SuiteFiles } from '../../../project/files.ts';
import { servicesBefore, suiteBefore } from '../../../project/former-names.ts';
import { onlyOperations, withOperations } from '../../../project/selected.ts';
import { readSuite, suitesIn, withCheckedContracts } from '../../../project/suite.ts';
import { namedOperations } from '../run-facts.ts';
import { naming, type VersionFolder } from './words.ts';

export interface VersionSuites {
  /** Common load: services and operations that both versions have, with the load of the base; everything else is the head's. */
  readonly suite: Suite;
  /** Load changes by the head, which applies after the merge; undefined if the head's load is used. */
  readonly load?: readonly PolicyChangeRecord[] | undefined;
  readonly base: SuiteFiles;
  readonly head: SuiteFiles;
  /** Only for a base that is measured with the configuration of the head: the parts that it lacks. */
  readonly adopted?: Adopted | undefined;
  /** Policy of a base with another configuration: it judges, though the base is measured with the head's configuration. */
  readonly otherPolicy?: Suite['policy'] | undefined;
}

type Adopted = NonNullable<RoundsRecord['base']['adopted']>;

/** Suite in both versions. A base without a configuration, or without these services, has the head's. */
export function readSuites(
  folders: Readonly<Record<Side, VersionFolder>>,
  name: string | undefined,
  requested: {
    /** Selected ones; undefined: all. */
    readonly services?: readonly string[] | undefined;
    readonly operations?: readonly string[] | undefined;
    /** True if both versions get the load of the head. */
    readonly hasLoadOfHead?: boolean | undefined;
  } = {},
): VersionSuites {
  const head = naming(folders.head, () =>
    withOperations(withCheckedContracts(readSuite(folders.head.root, name, requested.services)), requested.operations),
  );
  const { known, files } = naming(folders.base, () => ownBase(folders.base, name, head.suite, requested.operations));
  const own = files && { files, groups: commonGroups(head.suite, files.suite) };
  const hasOwn = own?.groups.some(({ operations }) => operations.length > 0) === true;
  const base = hasOwn ? own.files : { ...head, root: folders.base.root };
  const groups = hasOwn ? own.groups : commonGroups(head.suite, base.suite);
  const isOfBase = hasOwn && requested.hasLoadOfHead !== true;
  const common = head.suite.services.filter((service) => groups.some(({ services }) => services.includes(service)));
  refuseRunning([...head.services.values(), ...base.services.values()], common);
  const strange = groups.find(({ operations }) => operations.length === 0);
  if (strange !== undefined) {
    const whose = (head.suite.groups ?? base.suite.groups) ? `${wordList(strange.services)} of ` : '';
    const refs = `${folders.base.ref} and ${folders.head.ref}`;
    throw new ConfigError(`${whose}suite ${head.suite.name}: ${refs} have no operation in common`, {
      code: 'WG-406',
      next: `Compare with a base whose suite has the same operations${whose && ', or choose other services with --services'}.`,
    });
  }
  const loaded = groupedOperations(groups.map(({ services, operations }) => ({ services, operations })));
  const names = loaded.operations.map((operation) => operation.name);
  const load = isOfBase ? loadOfBase(base.suite, head.suite, names) : head.suite;
  const tiers = tiersWith(load.tiers, names);
  const { saturation, network } = load;
  const suite = { ...head.suite, services: common, ...loaded, tiers, saturation, network };
  const adopted: Adopted = known.length === 0 ? 'no-configuration' : 'other-configuration';
  return {
    ...{ suite, base, head: onlyServices(head, common) },
    ...(!hasOwn && { adopted, otherPolicy: otherPolicy(folders.base.root, head.suite.name) }),
    ...(isOfBase && {
      load: [
        ...loadChanges(base.suite, head.suite),
        ...groups.flatMap(({ changes }) => changes),
        ...common.flatMap((name) => serviceChanges(name, [base.services.get(name), head.services.get(name)])),
      ],
    }),
  };
}

function ownBase(
  { root }: VersionFolder,
  name: string | undefined,
  head: Suite,
  operations: readonly string[] | undefined,
) {
  const { known, common } = servicesBefore(root, head);
  if (common.length === 0) {
    return { known };
  }
  try {
    const files = suiteBefore(root, name, { ...head, services: common });
    return { known, files: operations === undefined ? files : onlyOperations(files, operations) };
  } catch (thrown) {
    if (thrown instanceof ConfigError && thrown.code === NO_SUCH_SUITE) {
      return { known };
    }
    throw thrown;
  }
}

/** Policy of the suite with that name, or of the first. An unreadable base has none. */
function otherPolicy(root: string, name: string): Suite['policy'] | undefined {
  try {
    const suites = suitesIn(root);
    return (suites.find(({ suite }) => suite.name === name) ?? suites[0])?.suite.policy;
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return undefined;
    }
    throw thrown;
  }
}

/** There is no suite with that name, or there are several and none is named. */
const NO_SUCH_SUITE = 'WG-106';

export function refuseAdopted({ suite, adopted }: VersionSuites, { ref }: VersionFolder): void {
  if (adopted !== undefined) {
    throw new ConfigError(
      `${ref} does not have the services ${suite.services.join(', ')}, so there is nothing to compare with`,
      {
        code: 'WG-406',
        next: 'Select others with --services, or use another base.',
      },
    );
  }
}

/** Services with the same requests in both versions, with their common operations. */
function commonGroups(head: Suite, base: Suite) {
  const groupsIn = ({ groups, services, operations }: Suite) => groups ?? [{ services, operations }];
  return groupsIn(head).flatMap((own) =>
    groupsIn(base).flatMap((other) => {
      const services = head.services.filter((name) => own.services.includes(name) && other.services.includes(name));
      const operations = commonOperations(own.operations, other.operations);
      const changes = operationChanges(own.operations, other.operations);
      return services.length === 0 ? [] : [{ services, operations, changes }];
    }),
  );
}

/** Throws if a service already runs: it was started from an unknown version. */
function refuseRunning(services: readonly Service[], common: readonly string[]): void {
  const running = services.find(({ name, address }) => address !== undefined && common.includes(name));
  if (running !== undefined) {
    throw new ConfigError(
      `${running.name}: is already running at ${running.address}, so there is only one version of it and nothing to compare with`,
      {
        code: 'WG-312',
        next: 'Set how to start it (`image` or `process` instead of `address`), or measure it with `wiregauge run`.',
      },
    );
  }
}

export function versionRecord(
  { ref, commit, dirty, subject }: VersionFolder,
  { suite, ownServices, configHash }: SuiteFiles,
  requested: readonly string[] | undefined,
): RoundsRecord['base'] {
  return {
    ref,
    commit,
    dirty,
    subject,
    configHash,
    services: requested === undefined ? ownServices : suite.services,
    ...namedOperations(suite),
  };
}

export function onlyServices(files: SuiteFiles, services: readonly string[]): SuiteFiles {
  return {
    ...files,
    services: new Map([...files.services].filter(([name]) => services.includes(name))),
    secrets: files.secrets.filter(({ service }) => service === undefined || services.includes(service)),
  };
}

type SuiteLoad = Pick<Suite, 'tiers' | 'saturation' | 'network'>;

/** Load of the base where both have one: a head could choose a load that hides its slowdown. A new tier is the head's. */
function loadOfBase(base: SuiteLoad, head: SuiteLoad, operations: readonly string[]): SuiteLoad {
  const tiers = head.tiers.map((tier) => {
    const before = tierNamed(base, tier.name);
    return before !== undefined && tiersWith([before], operations).length > 0 ? before : tier;
  });
  return { tiers, saturation: base.saturation, network: base.network };
}

function loadChanges(base: SuiteLoad, head: SuiteLoad): readonly PolicyChangeRecord[] {
  const tiers = base.tiers.flatMap((tier) => {
    const what = `tier ${tier.name}`;
    const own = tierNamed(head, tier.name);
    return own === undefined ? [{ what, from: tierWords(tier), to: 'gone' }] : loadChange(what, [tier, own], tierWords);
  });
  return [
    ...tiers,
    ...loadChange('saturation', [base.saturation, head.saturation], ({ workers }) => `${workers} workers`),
    ...loadChange('network', [base.network, head.network], (network) => (network ? networkWords(network) : 'none')),
  ];
}

function tierNamed({ tiers }: SuiteLoad, name: string): Tier | undefined {
  return tiers.find((tier) => tier.name === name);
}

/** Head's operations that the base also has, with the base's weights. Both ignore what either ignores. */
function commonOperations(head: readonly Operation[], base: readonly Operation[]): readonly Operation[] {
  return pairsOf(base, head).map(([before, own]) => ({
    ...own,
    share: before.share,
    ignore: [...new Set([...(own.ignore ?? []), ...(before.ignore ?? [])])],
  }));
}

function operationChanges(head: readonly Operation[], base: readonly Operation[]): readonly PolicyChangeRecord[] {
  return pairsOf(base, head).flatMap(([before, own]) => [
    ...changeOf(`weight of ${own.name}`, [formatShare(before.share), formatShare(own.share)], String),
    ...changeOf(`verify of ${own.name}`, [before.verify ?? 'answer', own.verify ?? 'answer'], String),
    ...changeOf(`request of ${own.name}`, [before.bindings, own.bindings], callsOf),
    ...changeOf(`arguments of ${own.name}`, [before.arguments, own.arguments], ({ length }) => counted(length, 'row')),
    ...changeOf(`ignored in answers of ${own.name}`, [ignoredText(before), ignoredText(own)], String),
  ]);
}

/** Different settings of the versions, which are measured unchanged and reported. */
function serviceChanges(
  name: string,
  [base, head]: readonly [Service | undefined, Service | undefined],
): readonly PolicyChangeRecord[] {
  const own = (service: Service | undefined) => ({ ...service?.headers, ...service?.metadata });
  const [before, now] = [own(base), own(head)];
  const names = (all: Readonly<Record<string, string>>) =>
    Object.keys(all).filter((header) => before[header] !== now[header]);
  const needs = (service: Service | undefined) =>
    (service?.needs ?? []).map((need) => ({ shown: sourceOf(need), command: need.process?.command }));
  return [
    ...changeOf(`limits of ${name}`, [base?.limits ?? {}, head?.limits ?? {}], JSON.stringify),
    ...changeOf(`cores of ${name}`, [base?.cores ?? 1, head?.cores ?? 1], String),
    ...changeOf(`headers of ${name}`, [before, now], (all) => names(all).join(', ') || 'none'),
    ...changeOf(
      `needs of ${name}`,
      [needs(base), needs(head)],
      (all) => all.map(({ shown }) => shown).join(', ') || 'none',
    ),
  ];
}

/** Calls and paths only: bodies and headers may contain secrets. */
function callsOf(bindings: Operation['bindings']): string {
  const calls = Object.values(bindings).map((binding) => {
    const { method, path, call } = binding as { readonly [key in 'method' | 'path' | 'call']?: string };
    return call ?? [method, path].filter(Boolean).join(' ');
  });
  return calls.join(', ');
}

/** Leaves out the words of a command line, which may be secrets. */
function sourceOf({ name, image, process, limits }: Need): string {
  const source = image && ('reference' in image ? image.reference : image.dockerfile);
  return [name, source, process?.command[0], limits && JSON.stringify(limits)].filter(Boolean).join(' ');
}

function ignoredText({ ignore = [] }: Operation): string {
  return ignore.length === 0 ? 'nothing' : ignore.toSorted().join(' ');
}

/** Common operations of both versions, with shares that add up to 1 in each. */
function pairsOf(base: readonly Operation[], head: readonly Operation[]): readonly (readonly [Operation, Operation])[] {
  const pairs = head.flatMap((own) => {
    const before = base.find(({ name }) => name === own.name);
    return before === undefined ? [] : [[before, own] as const];
  });
  const sumOf = (side: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[side].share, 0);
  const [whole, own] = [sumOf(0), sumOf(1)];
  return pairs.map(([before, now]) => [
    { ...before, share: before.share / whole },
    { ...now, share: now.share / own },
  ]);
}

/** Longest text of either version of a change, in characters. */
const MAX_NAMED = 300;

/** Settings of a load, which are all public, in full if their short forms are equal. */
function loadChange<Value>(what: string, pair: readonly [Value, Value], words: (value: Value) => string) {
  return changeOf(what, pair, words(pair[0]) === words(pair[1]) ? JSON.stringify : words);
}

function changeOf<Value>(
  what: string,
  [before, now]: readonly [Value, Value],
  words: (value: Value) => string,
): readonly PolicyChangeRecord[] {
  if (isDeepStrictEqual(before, now)) {
    return [];
  }
  const [from = '', to = ''] = [before, now].map((value) => beginningOf(words(value), MAX_NAMED));
  return [{ what, from, to: from === to ? 'changed' : to }];
}
