import type { Side } from '../../model/rounds.ts';
import { type ExecutedCall, MAX_CALLS } from '../../model/run/functions.ts';
import type { RunInRounds } from '../../model/run/run.ts';

/** A function as it was called in one way, in both versions: instructions for a request, with all that it called. */
export interface ComparedCall extends Pick<ExecutedCall, 'name' | 'object'> {
  /** Undefined if it is not among the calls of base that are known. */
  readonly base: number | undefined;
  readonly head: number;
  /** By how much head is more, or by how much at least if base is not known; negative if it is less. */
  readonly more: number;
  /** Its calls, the most expensive first. */
  readonly calls: readonly ComparedCall[];
}

/** Calls of the functions of a service in head and base; none if either has none. */
export function comparedCalls(run: RunInRounds, service: string): readonly ComparedCall[] {
  return treeOfCalls({ base: callsOf(run, service, 'base'), head: callsOf(run, service, 'head') });
}

/** Calls of head as a tree, with those of base; empty if those of base are unknown. */
export function treeOfCalls({ base, head }: Readonly<Record<Side, readonly ExecutedCall[]>>): readonly ComparedCall[] {
  const known = new Map(base.map(({ inclusive }, place) => [pathOf(base, place), inclusive]));
  // An unlisted one executes no more than the last of the list.
  const most = base.length < MAX_CALLS ? 0 : (base.at(-1)?.inclusive ?? 0);
  return base.length === 0 ? [] : treeOf(head, known, most);
}

function callsOf({ instructions }: RunInRounds, service: string, side: Side): readonly ExecutedCall[] {
  const own = instructions?.profiles?.findLast((profile) => profile.service === service && profile.side === side);
  return own?.calls ?? [];
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
