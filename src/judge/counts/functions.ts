import type { Side } from '../../model/rounds.ts';
import { type ExecutedCall, type ExecutedFunction, MAX_CALLS, MAX_FUNCTIONS } from '../../model/run/functions.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Finding } from '../verdict/finding.ts';
import { CHECKOUT } from './counted.ts';

interface GrownFunction extends Pick<ExecutedFunction, 'name' | 'object'> {
  /** Instructions including callees; undefined if the known functions of base lack it. */
  readonly base: number | undefined;
  readonly head: number;
  /** Increase, or the least possible one if the value of base is unknown. */
  readonly more: number;
  /** The same for the function's own instructions. */
  readonly moreSelf: number;
}

/** If a single callee has this share of the growth of a function, the callee is nearer to the cause. */
const PASSED_ON = 0.95;

/** A function that calls nearly everything that the service executes, like `main`, does not lead to the cause. */
const TRUNK = 0.95;

/**
 * Functions of a service whose instructions grew most from base to head, largest growth first. `whole` is the finding about the instructions of the
 * service. Growth below the difference of two checkouts of one commit is ignored.
 */
export function grownFunctions(run: RunInRounds, whole: Pick<Finding, 'cell' | 'base'>): readonly GrownFunction[] {
  const { functions: base = [] } = profileOf(run, whole.cell.service, 'base') ?? {};
  const { functions: head = [] } = profileOf(run, whole.cell.service, 'head') ?? {};
  if (base.length === 0) {
    return [];
  }
  const known = new Map(base.map((one) => [functionKey(one), one]));
  // An unlisted function executes no more than the last one listed.
  const most = base.length < MAX_FUNCTIONS ? 0 : (base.at(-1)?.inclusive ?? 0);
  const least = CHECKOUT * whole.base;
  const grown = head.map(({ name, object, self, inclusive }): GrownFunction => {
    const before = known.get(functionKey({ name, object }));
    return {
      name,
      object,
      base: before?.inclusive ?? (most === 0 ? 0 : undefined),
      head: inclusive,
      more: inclusive - (before?.inclusive ?? most),
      moreSelf: self - (before?.self ?? Math.min(self, most)),
    };
  });
  const bySelf = mostOf(grown, ({ moreSelf }) => moreSelf, least, 3);
  const passing = passingFunctions(comparedCalls(run, whole.cell.service), least);
  const leads = (one: GrownFunction) => (one.base ?? 0) < TRUNK * whole.base && !passing.has(functionKey(one));
  const others = grown.filter((one) => !bySelf.includes(one) && leads(one));
  const byCalls = mostOf(others, ({ more }) => more, least, 8 - bySelf.length);
  return [...bySelf, ...byCalls].sort((left, right) => right.more - left.more || right.moreSelf - left.moreSelf);
}

/** Functions that grew only because of one function that they call. */
function passingFunctions(calls: readonly ComparedCall[], least: number): ReadonlySet<string> {
  const passing = new Set<string>();
  const others = new Set<string>();
  const visit = (call: ComparedCall): void => {
    if (call.more >= least) {
      const isPassing = call.calls.some(({ more }) => more >= PASSED_ON * call.more);
      (isPassing ? passing : others).add(functionKey(call));
    }
    call.calls.forEach(visit);
  };
  calls.forEach(visit);
  return new Set([...passing].filter((key) => !others.has(key)));
}

function profileOf({ instructions }: RunInRounds, service: string, side: Side) {
  return instructions?.profiles?.findLast((profile) => profile.service === service && profile.side === side);
}

export function functionKey({ name, object }: Pick<ExecutedFunction, 'name' | 'object'>): string {
  return JSON.stringify([object, name]);
}

function mostOf(
  grown: readonly GrownFunction[],
  growth: (one: GrownFunction) => number,
  least: number,
  most: number,
): readonly GrownFunction[] {
  return grown
    .filter((one) => growth(one) >= least)
    .sort((left, right) => growth(right) - growth(left))
    .slice(0, most);
}

/** Function on one call path, in both versions: instructions per request, including callees. */
export interface ComparedCall extends Pick<ExecutedCall, 'name' | 'object'> {
  /** Undefined if the known calls of base lack it. */
  readonly base: number | undefined;
  readonly head: number;
  /** Increase, or the least possible one if base is unknown; negative for a decrease. */
  readonly more: number;
  /** Its calls, most expensive first. */
  readonly calls: readonly ComparedCall[];
}

/** Calls of a service's functions in head and base; empty if either has none. */
export function comparedCalls(run: RunInRounds, service: string): readonly ComparedCall[] {
  const callsOf = (side: Side) => profileOf(run, service, side)?.calls ?? [];
  return treeOfCalls({ base: callsOf('base'), head: callsOf('head') });
}

/** Calls of head as a tree, with those of base; empty if those of base are unknown. */
export function treeOfCalls({ base, head }: Readonly<Record<Side, readonly ExecutedCall[]>>): readonly ComparedCall[] {
  const known = new Map(base.map(({ inclusive }, place) => [pathOf(base, place), inclusive]));
  // An unlisted call executes no more than the last one listed.
  const most = base.length < MAX_CALLS ? 0 : (base.at(-1)?.inclusive ?? 0);
  return base.length === 0 ? [] : treeOf(head, known, most);
}

function pathOf(calls: readonly ExecutedCall[], place: number): string {
  const names: string[] = [];
  for (let call = calls[place]; call !== undefined; call = calls[call.parent]) {
    names.push(call.name, call.object);
  }
  return JSON.stringify(names);
}

function treeOf(
  calls: readonly ExecutedCall[],
  known: ReadonlyMap<string, number>,
  most: number,
): readonly ComparedCall[] {
  const below = new Map<number, ComparedCall[]>();
  const inOrder = (found: readonly ComparedCall[] = []) => found.toSorted((left, right) => right.head - left.head);
  // A caller comes before its callees.
  for (const [place, { name, object, inclusive, parent }] of [...calls.entries()].reverse()) {
    const base = known.get(pathOf(calls, place));
    const more = inclusive - (base ?? Math.min(inclusive, most));
    const one = { name, object, base, head: inclusive, more, calls: inOrder(below.get(place)) };
    below.set(parent, [...(below.get(parent) ?? []), one]);
  }
  return inOrder(below.get(-1));
}
