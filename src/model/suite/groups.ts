import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';
import { type Operation, type OperationGroup, type Suite, type Tier, tiersWith } from './suite.ts';

export interface Grouped<Item> {
  readonly operations: readonly Item[];
  readonly groups?: readonly OperationGroup<Item>[] | undefined;
}

export function groupsSchema<Item extends z.ZodType>(requested: Item) {
  return listOf(z.object({ services: listOf(z.string().max(80)), operations: listOf(requested) })).optional();
}

export function operationsFor<Item>({ operations, groups }: Grouped<Item>, service: string): readonly Item[] {
  return groups === undefined
    ? operations
    : (groups.find(({ services }) => services.includes(service))?.operations ?? []);
}

/** True if two services have the same operations, so that their responses and metrics can be compared. */
export function isSameGroup({ groups }: Grouped<unknown>, one: string, other: string): boolean {
  return groups === undefined || groups.some(({ services }) => services.includes(one) && services.includes(other));
}

/** All operations of groups, each name once, and the groups; for a single group its operations. */
export function groupedOperations<Item extends { readonly name: string }>(
  groups: readonly OperationGroup<Item>[],
): Grouped<Item> {
  const all = groups.flatMap(({ operations }) => operations);
  const operations = all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index);
  return { operations, groups: groups.length > 1 ? groups : undefined };
}

/** Suite with some of its services, in this order, and the operations and tiers of any of them. */
export function suiteOfServices(suite: Suite, services: readonly string[]): Suite {
  if (suite.groups === undefined) {
    return { ...suite, services };
  }
  const groups = suite.groups.flatMap((group) => {
    const own = services.filter((name) => group.services.includes(name));
    return own.length === 0 ? [] : [{ ...group, services: own }];
  });
  return suiteOfGroups({ ...suite, services }, groups);
}

function suiteOfGroups(suite: Suite, groups: readonly OperationGroup<Operation>[]): Suite {
  const loaded = groupedOperations(groups);
  return { ...suite, ...loaded, tiers: tiersWith(suite.tiers, namesOf(loaded.operations)) };
}

/** Suite with some of its operations, whose shares add up to 1 again, and the services and tiers that have any of them. */
export function suiteOfOperations(suite: Suite, requested: readonly string[]): Suite {
  const all = suite.groups ?? [{ services: suite.services, operations: suite.operations }];
  const groups = all.flatMap((group) => {
    const own = group.operations.filter(({ name }) => requested.includes(name));
    const sum = own.reduce((total, { share }) => total + share, 0);
    const operations = own.map((operation) => ({ ...operation, share: operation.share / sum }));
    return own.length === 0 ? [] : [{ ...group, operations }];
  });
  const services = suite.services.filter((name) => groups.some((group) => group.services.includes(name)));
  return suiteOfGroups({ ...suite, services }, groups);
}

/** Suite for one of its services: its operations, and the tiers that request any of them. */
export function suiteFor(suite: Suite, service: string): Suite {
  if (suite.groups === undefined) {
    return suite;
  }
  const operations = operationsFor(suite, service);
  return { ...suite, operations, groups: undefined, tiers: tiersWith(suite.tiers, namesOf(operations)) };
}

/** Tiers that send a request to the services of each group, with the operations of that group only. */
export function tiersByGroup({ groups, tiers }: Pick<Suite, 'groups' | 'tiers'>): readonly (readonly Tier[])[] {
  return groups?.map(({ operations }) => tiersWith(tiers, namesOf(operations))) ?? [tiers];
}

export function isLoadedAt<Item extends { readonly name: string }>(
  suite: Grouped<Item>,
  service: string,
  tier: Pick<Tier, 'operations'> | undefined,
): boolean {
  return operationsFor(suite, service).some(({ name }) => tier?.operations?.includes(name) ?? true);
}

/** Services that are compared with the first of them: those with the same operations, including the first. */
export function comparableServices({ services, ...suite }: Pick<Suite, 'services' | 'operations' | 'groups'>) {
  const [first = ''] = services;
  return services.filter((name) => isSameGroup(suite, first, name));
}

function namesOf(operations: readonly Pick<Operation, 'name'>[]): readonly string[] {
  return operations.map(({ name }) => name);
}
