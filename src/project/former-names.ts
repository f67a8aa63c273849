import type { Service } from '../model/service.ts';
import type { FormerNames, OwnNames } from '../model/suite/former-names.ts';
import type { Operation, Suite } from '../model/suite/suite.ts';
import type { SuiteFiles } from './files.ts';
import { withServicesFor } from './replaced.ts';
import { readSuite, servicesIn, withCheckedContracts } from './suite.ts';

type Renamed = FormerNames['services'];

/** Services of an earlier version, and those of a suite that it has under their present or a former name. */
export function servicesBefore(
  root: string,
  { name, services, wasNamed }: Pick<Suite, 'name' | 'services' | 'wasNamed'>,
) {
  const known = servicesIn(root, name);
  const common = services.filter((service) => nameIn(known, service, wasNamed?.services) !== undefined);
  return { known, common };
}

/**
 * Reads a suite of an earlier version, with services that it has under their present or a former name; the result uses present names.
 * Throws ConfigError as readSuite does.
 */
export function suiteBefore(
  root: string,
  name: string | undefined,
  { name: suite, services, wasNamed }: Pick<Suite, 'name' | 'services' | 'wasNamed'>,
): SuiteFiles {
  const known = servicesIn(root, suite);
  const selected = services.map((service) => nameIn(known, service, wasNamed?.services) ?? service);
  const files = withCheckedContracts(readSuite(root, name, selected));
  return wasNamed === undefined ? files : underPresentNames(files, wasNamed);
}

/** Present or former name among known names; undefined without one. */
function nameIn(known: readonly string[], present: string, renamed: Renamed | undefined): string | undefined {
  const former = new Map(Object.entries(renamed ?? {})).get(present) ?? [];
  return [present, ...former].find((name) => known.includes(name));
}

function underPresentNames(files: SuiteFiles, { services, operations }: FormerNames): SuiteFiles {
  const ownNames: OwnNames = {
    services: ownNamesOf(services, files.ownServices),
    operations: ownNamesOf(
      operations,
      files.suite.operations.map(({ name }) => name),
    ),
  };
  const [service, operation] = [presentOf(ownNames.services), presentOf(ownNames.operations)];
  const named = (all: readonly Operation[]) => all.map((one) => ({ ...one, name: operation(one.name) }));
  const renamed = [...files.services].map(([name, one]) => underName(one, service(name)));
  const found = withServicesFor(files, renamed, (name, former = name) => [service(former)]);
  const { suite } = found;
  const groups = suite.groups?.map((group) => ({ ...group, operations: named(group.operations) }));
  const tiers = suite.tiers.map((tier) =>
    tier.operations === undefined ? tier : { ...tier, operations: tier.operations.map(operation) },
  );
  return { ...found, suite: { ...suite, operations: named(suite.operations), groups, tiers }, ownNames };
}

/** Renames the title, too, if it is the name. */
function underName(service: Service, name: string): Service {
  return { ...service, name, title: service.title === service.name ? name : service.title };
}

/** Original names by present names, without those that did not change. */
function ownNamesOf(renamed: Renamed, known: readonly string[]): ReadonlyMap<string, string> {
  const own = Object.keys(renamed).flatMap((now) => {
    const was = nameIn(known, now, renamed);
    return was === undefined || was === now ? [] : [[now, was] as const];
  });
  return new Map(own);
}

function presentOf(ownNames: ReadonlyMap<string, string>): (name: string) => string {
  const present = new Map([...ownNames].map(([now, was]) => [was, now]));
  return (name) => present.get(name) ?? name;
}
