import type { Service } from '../model/index.ts';
import type { SuiteFiles } from './files.ts';

/** The files with these services in the place of theirs; `namesFor` gives the names that stand for one of theirs. */
export function withServicesFor(
  files: SuiteFiles,
  services: readonly Service[],
  namesFor: (name: string) => readonly string[],
): SuiteFiles {
  const { suite } = files;
  const all = (names: readonly string[]) => names.flatMap(namesFor);
  const groups = suite.groups?.map((group) => ({ ...group, services: all(group.services) }));
  const panels = suite.sweep?.panels.map((panel) => ({ ...panel, services: all(panel.services) }));
  return {
    ...files,
    suite: {
      ...suite,
      services: all(suite.services),
      groups,
      sweep: suite.sweep && { ...suite.sweep, panels: panels ?? [] },
    },
    ownServices: all(files.ownServices),
    services: new Map(services.map((service) => [service.name, service])),
    secrets: files.secrets.flatMap((use) =>
      use.service === undefined ? [use] : namesFor(use.service).map((service) => ({ ...use, service })),
    ),
  };
}
