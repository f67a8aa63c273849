import { type ExecutedCall, type ExecutedFunction, unitedCalls } from '../../model/run/functions/executed.ts';
import type { Service } from '../../model/service.ts';
import type { Counts } from '../port.ts';

/** The programs of a service, by the names that their counts have: itself, or its members with the entry first. */
export function countedPrograms({
  name,
  entry,
  members = [],
}: Pick<Service, 'name' | 'entry' | 'members'>): readonly string[] {
  return entry === undefined ? [name] : [entry, ...members.map((member) => member.name)];
}

/** Counts of a service by those of its programs, which `countsOf` reads by name, with their title in messages; of several, with the share of each. */
export async function countsOfAll(
  service: Pick<Service, 'name' | 'entry' | 'members'>,
  countsOf: (program: string, title: string) => Promise<Counts>,
): Promise<Counts> {
  const { entry } = service;
  const read = countedPrograms(service).map(async (program): Promise<[string, Counts]> => {
    const title = entry === undefined ? 'the service' : `${program}, a member of the service,`;
    return [program, await countsOf(program, title)];
  });
  const counted = new Map(await Promise.all(read));
  const all = [...counted.values()];
  const sum = (of: (counts: Counts) => number): number => all.reduce((total, one) => total + of(one), 0);
  const functions = functionsOfAll(all);
  const calls = entry === undefined ? all[0]?.calls : callsOfAll(counted);
  return {
    instructions: sum(({ instructions }) => instructions),
    syscalls: sum(({ syscalls }) => syscalls),
    allocations: sum(({ allocations }) => allocations),
    uncounted: sum(({ uncounted }) => uncounted),
    ...(functions !== undefined && { functions }),
    ...(calls !== undefined && { calls }),
    ...(entry !== undefined && {
      members: Object.fromEntries(
        [...counted].map(([name, { instructions, syscalls }]) => [name, { instructions, syscalls }]),
      ),
    }),
  };
}

/** Undefined if a program has none. Counts of a function in a shared library are the sum of all programs. */
function functionsOfAll(all: readonly Counts[]): readonly ExecutedFunction[] | undefined {
  const sums = new Map<string, ExecutedFunction>();
  for (const { functions } of all) {
    if (functions === undefined) {
      return undefined;
    }
    for (const one of functions) {
      const key = JSON.stringify([one.object, one.name]);
      const before = sums.get(key) ?? { self: 0, inclusive: 0 };
      sums.set(key, { ...one, self: before.self + one.self, inclusive: before.inclusive + one.inclusive });
    }
  }
  return [...sums.values()];
}

/** Undefined if a program has none. */
function callsOfAll(counted: ReadonlyMap<string, Counts>): readonly ExecutedCall[] | undefined {
  const lists = [...counted].map(([below, { calls }]) => ({ below, weight: 1, calls: calls ?? [] }));
  return lists.some(({ calls }) => calls.length === 0) ? undefined : unitedCalls(lists);
}
