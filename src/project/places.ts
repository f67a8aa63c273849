import { type LineOf, linesOf } from '../config/yaml/lines.ts';
import { ALL_TIERS } from '../model/families.ts';
import { ALL_OPERATIONS, type CellKey, SATURATION } from '../model/sample.ts';
import type { SourcePlace, SourcePlaces } from './annotation.ts';

/** A file of the configuration. */
export interface ConfigFile {
  /** From the root of the repository; undefined where it lies outside, where nothing can be shown. */
  readonly path: string | undefined;
  /** Undefined where it cannot be read. */
  readonly text: string | undefined;
}

/** The file that describes a service, and what leads to it there. */
export interface ServiceFile extends ConfigFile {
  readonly steps: Parameters<LineOf>[0];
}

/** The files that a verdict came from. */
export interface ConfigFiles {
  readonly suite: ConfigFile;
  /** Where services are described, by their names. */
  readonly services: ReadonlyMap<string, ServiceFile>;
  readonly accepted: ConfigFile;
  /** The file of `--policy`, where one was given. */
  readonly policy: ConfigFile | undefined;
}

/** Finds the lines that a verdict is about. A file that cannot be read or is not YAML gives its path alone. */
export function placesIn(files: ConfigFiles): SourcePlaces {
  const suite = finderIn(files.suite);
  const policy = files.policy && finderIn(files.policy);
  const accepted = finderIn(files.accepted);
  const services = new Map([...files.services].map(([name, file]) => [name, finderIn(file)(file.steps)]));
  // Lists of a policy file replace those of the suite and of the repository as a whole.
  const inPolicy = linesOf(files.policy?.text ?? '');
  const replaces = (key: string): boolean => inPolicy([key]) !== undefined;
  return {
    suite: suite(undefined),
    cell: (cell) => (isOfService(cell) ? services.get(cell.service) : suite(stepsTo(cell))),
    budget: (index) => (replaces('budgets') ? policy?.(['budgets', index]) : suite(['policy', 'budgets', index])),
    acceptance: (index) => (replaces('accepted') ? policy?.(['accepted', index]) : accepted([index])),
  };
}

type Finder = (steps: Parameters<LineOf>[0] | undefined) => SourcePlace | undefined;

function finderIn({ path, text }: ConfigFile): Finder {
  const lineOf = text === undefined ? undefined : linesOf(text);
  return (steps) => {
    if (path === undefined) {
      return undefined;
    }
    const line = steps === undefined ? undefined : lineOf?.(steps);
    return line === undefined ? { path } : { path, line };
  };
}

function isOfService({ operation, tier }: CellKey): boolean {
  return operation === ALL_OPERATIONS && tier === ALL_TIERS;
}

function stepsTo({ operation, tier }: CellKey): Parameters<LineOf>[0] {
  if (operation !== ALL_OPERATIONS) {
    return ['operations', { name: operation }];
  }
  return tier === SATURATION ? ['saturation'] : ['tiers', { name: tier }];
}
