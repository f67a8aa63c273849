import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { type LineOf, linesOf } from '../config/yaml/lines.ts';
import { ifPossible } from '../foundation/errors.ts';
import { readText } from '../host/files/reader.ts';
import { checkoutRoot } from '../host/git/repository.ts';
import { ALL_OPERATIONS, type CellKey, memberOf, SATURATION } from '../model/metric.ts';
import { ALL_TIERS } from '../model/policy.ts';
import type { Run } from '../model/run/run.ts';
import { manifestsIn } from './manifests.ts';
import { ACCEPTED_FILE } from './policy.ts';
import { PROJECT_FILE } from './suite.ts';

/**
 * Places in the configuration of a folder for the verdict of a run, with paths from the root of the checkout. `policy` is the path given to
 * `--policy`. The run may be untrusted: its names lead to no file outside the checkout. Unreadable files have no lines.
 */
export function configPlaces(root: string, { suite, services }: Run, policy: string | undefined): SourcePlaces {
  const named = services.flatMap(({ name, variant }) =>
    isName(name) ? [{ name, described: variant?.of ?? name }] : [],
  );
  const suiteFile = isName(suite.name) ? `suites/${suite.name}.yml` : 'suites';
  const isProject = !existsSync(join(root, suiteFile)) && existsSync(join(root, PROJECT_FILE));
  const suiteAt = fileAt(root, isProject ? PROJECT_FILE : suiteFile);
  const families = isProject ? [] : (ifPossible(() => manifestsIn(root).families) ?? []);
  const serviceAt = (name: string) => {
    const family = families.find((one) => one.name === name);
    if (family !== undefined) {
      return { ...fileAt(root, family.source.file), steps: family.steps };
    }
    return isProject || !isName(name)
      ? { ...suiteAt, steps: ['services', name] }
      : { ...fileAt(root, `services/${name}/service.yml`), steps: ['name'] };
  };
  return placesIn({
    suite: suiteAt,
    services: new Map(named.map(({ name, described }) => [name, serviceAt(described)])),
    accepted: fileAt(root, ACCEPTED_FILE),
    policy: policy === undefined ? undefined : fileAt(root, policy),
  });
}

function isName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/.test(name);
}

/** Paths are relative to the checkout, and `root` may be a folder below it. */
function fileAt(root: string, file: string): ConfigFile {
  const found = resolve(root, file);
  const path = relative(checkoutRoot(root) ?? root, found);
  const isOutside = path.startsWith('..') || isAbsolute(path);
  // An annotation without a line is better than a failed job.
  return { path: isOutside ? undefined : path, text: ifPossible(() => readText(found, '')) };
}

interface ConfigFile {
  /** Path from the root of the repository; undefined if the file is outside. */
  readonly path: string | undefined;
  /** Undefined if it cannot be read. */
  readonly text: string | undefined;
}

/** File that describes a service, and the path to it in the file. */
interface ServiceFile extends ConfigFile {
  readonly steps: Parameters<LineOf>[0];
}

/** Files that a verdict refers to. */
export interface ConfigFiles {
  readonly suite: ConfigFile;
  /** Files of services by name. */
  readonly services: ReadonlyMap<string, ServiceFile>;
  readonly accepted: ConfigFile;
  readonly policy: ConfigFile | undefined;
}

/** Finds the lines that a verdict refers to. A file that is unreadable or not YAML only has a path. */
export function placesIn(files: ConfigFiles): SourcePlaces {
  const suite = finderIn(files.suite);
  const policy = files.policy && finderIn(files.policy);
  const accepted = finderIn(files.accepted);
  const services = new Map([...files.services].map(([name, file]) => [name, finderIn(file)(file.steps)]));
  // Lists of a policy file replace those of the suite and of the repository.
  const inPolicy = linesOf(files.policy?.text ?? '');
  const replaces = (key: string): boolean => inPolicy([key]) !== undefined;
  return {
    suite: suite(undefined),
    cell: (cell) =>
      (cell.operation === ALL_OPERATIONS && cell.tier === ALL_TIERS) || memberOf(cell) !== undefined
        ? services.get(cell.service)
        : suite(stepsTo(cell)),
    budget: (index) => (replaces('budgets') ? policy?.(['budgets', index]) : suite(['policy', 'budgets', index])),
    acceptance: (index) => (replaces('accepted') ? policy?.(['accepted', index]) : accepted([index])),
  };
}

function finderIn({ path, text }: ConfigFile): (steps: Parameters<LineOf>[0] | undefined) => SourcePlace | undefined {
  const lineOf = text === undefined ? undefined : linesOf(text);
  return (steps) => {
    if (path === undefined) {
      return undefined;
    }
    const line = steps === undefined ? undefined : lineOf?.(steps);
    return line === undefined ? { path } : { path, line };
  };
}

function stepsTo({ operation, tier }: CellKey): Parameters<LineOf>[0] {
  if (operation !== ALL_OPERATIONS) {
    return ['operations', { name: operation }];
  }
  return tier === SATURATION ? ['saturation'] : ['tiers', { name: tier }];
}

/** Annotation that GitHub shows at a line of a file and on the page of the workflow run; plain text without line breaks. */
export interface Annotation extends Partial<SourcePlace> {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

export interface SourcePlace {
  /** Path from the root of the repository. */
  readonly path: string;
  /** Line from 1; undefined if the file is missing, is not YAML, or lacks the entry. */
  readonly line?: number | undefined;
}

/** Places in the configuration for parts of a verdict; undefined without a file in the repository. */
export interface SourcePlaces {
  readonly suite: SourcePlace | undefined;
  /** Operation of a cell, its tier if it covers all operations, or its service if it covers all tiers. */
  readonly cell: (cell: CellKey) => SourcePlace | undefined;
  /** Budget and acceptance by index in the policy, from 0. */
  readonly budget: (index: number) => SourcePlace | undefined;
  readonly acceptance: (index: number) => SourcePlace | undefined;
}
