import type { Service } from '../model/service.ts';
import type { FormerNames } from '../model/suite/former-names.ts';
import type { SuiteFiles } from './files.ts';

/** Files with their services replaced; `namesFor` returns the names that replace a service, or that replaced its former name. */
export function withServicesFor(
  files: SuiteFiles,
  services: readonly Service[],
  namesFor: (name: string, former?: string) => readonly string[],
): SuiteFiles {
  const { suite } = files;
  const all = (names: readonly string[]) => names.flatMap((name) => namesFor(name));
  const groups = suite.groups?.map((group) => ({ ...group, services: all(group.services) }));
  const panels = suite.sweep?.panels.map((panel) => ({ ...panel, services: all(panel.services) }));
  const cells = suite.factorial?.services.flatMap(({ service, levels }) =>
    namesFor(service).map((name) => ({ service: name, levels })),
  );
  return {
    ...files,
    suite: {
      ...suite,
      ...(suite.wasNamed && { wasNamed: { ...suite.wasNamed, services: formerNames(suite.wasNamed, namesFor) } }),
      services: all(suite.services),
      groups,
      sweep: suite.sweep && { ...suite.sweep, panels: panels ?? [] },
      factorial: suite.factorial && { ...suite.factorial, services: cells ?? [] },
    },
    ownServices: all(files.ownServices),
    services: new Map(services.map((service) => [service.name, service])),
    secrets: files.secrets.flatMap((use) =>
      use.service === undefined ? [use] : namesFor(use.service).map((service) => ({ ...use, service })),
    ),
  };
}

function formerNames({ services }: FormerNames, namesFor: Parameters<typeof withServicesFor>[2]) {
  const each = Object.entries(services).flatMap(([name, former]) => {
    const were = former.map((one) => namesFor(name, one));
    return namesFor(name).map((now, place) => [now, were.flatMap((names) => names[place] ?? [])] as const);
  });
  return Object.fromEntries(each);
}
