import { isDeepStrictEqual } from 'node:util';
import { formatShare } from '../../../foundation/numbers.ts';
import type { PolicyChangeRecord } from '../../../model/run/rounds.ts';
import { networkWords } from '../../../model/suite/network.ts';
import { type Operation, type Suite, type Tier, tiersWith } from '../../../model/suite/suite.ts';
import { tierWords } from '../../../model/suite/tier-words.ts';

/** How a suite loads its services. */
type SuiteLoad = Pick<Suite, 'tiers' | 'saturation' | 'network'>;

/**
 * Load of both versions with some operations: the base's as far as both have it, since a head could choose a load that hides what it slows
 * down. A tier that the base lacks is the head's.
 */
export function loadOfBase(base: SuiteLoad, head: SuiteLoad, operations: readonly string[]): SuiteLoad {
  const tiers = head.tiers.map((tier) => {
    const before = tierNamed(base, tier.name);
    return before !== undefined && tiersWith([before], operations).length > 0 ? before : tier;
  });
  return { tiers, saturation: base.saturation, network: base.network };
}

/** Changes of the load of the base. */
export function loadChanges(base: SuiteLoad, head: SuiteLoad): readonly PolicyChangeRecord[] {
  const tiers = base.tiers.flatMap((tier) => {
    const what = `tier ${tier.name}`;
    const own = tierNamed(head, tier.name);
    return own === undefined ? [{ what, from: tierWords(tier), to: 'gone' }] : changeOf(what, [tier, own], tierWords);
  });
  return [
    ...tiers,
    ...changeOf('saturation', [base.saturation, head.saturation], ({ workers }) => `${workers} workers`),
    ...changeOf('network', [base.network, head.network], (network) => (network ? networkWords(network) : 'none')),
  ];
}

function tierNamed({ tiers }: SuiteLoad, name: string): Tier | undefined {
  return tiers.find((tier) => tier.name === name);
}

/**
 * The head's operations that the base has too, with the base's weights, which add up to 1 again. What either version ignores of an answer
 * is ignored in both, so that a pull request may begin to, or stop.
 */
export function commonOperations(head: readonly Operation[], base: readonly Operation[]): readonly Operation[] {
  return pairsOf(base, head).map(([before, own]) => ({
    ...own,
    share: before.share,
    ignore: [...new Set([...(own.ignore ?? []), ...(before.ignore ?? [])])],
  }));
}

/** Changes of the weights of those operations, and of what is compared of their answers. */
export function operationChanges(
  head: readonly Operation[],
  base: readonly Operation[],
): readonly PolicyChangeRecord[] {
  return pairsOf(base, head).flatMap(([before, own]) => [
    ...changeOf(`weight of ${own.name}`, [formatShare(before.share), formatShare(own.share)], String),
    ...changeOf(`verify of ${own.name}`, [before.verify ?? 'answer', own.verify ?? 'answer'], String),
    ...changeOf(`ignored in answers of ${own.name}`, [ignoredText(before), ignoredText(own)], String),
  ]);
}

function ignoredText({ ignore = [] }: Operation): string {
  return ignore.length === 0 ? 'nothing' : ignore.toSorted().join(' ');
}

/** Operations that both have, with shares that add up to 1 in each. */
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

/** A change in words; if those are the same, as JSON. */
function changeOf<Value>(
  what: string,
  [before, now]: readonly [Value, Value],
  words: (value: Value) => string,
): readonly PolicyChangeRecord[] {
  if (isDeepStrictEqual(before, now)) {
    return [];
  }
  const [from, to] = [words(before), words(now)];
  return [from === to ? { what, from: JSON.stringify(before), to: JSON.stringify(now) } : { what, from, to }];
}
