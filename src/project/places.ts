import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { type LineOf, linesOf } from '../config/yaml/lines.ts';
import { KnownError } from '../foundation/errors.ts';
import { readText } from '../host/files/reader.ts';
import { checkoutRoot } from '../host/git/checkout.ts';
import { ALL_OPERATIONS, type CellKey, memberOf, SATURATION } from '../model/metric.ts';
import { ALL_TIERS } from '../model/policy.ts';
import type { Run } from '../model/run/run.ts';
import { type Manifests, manifestsIn } from './manifests.ts';
import { ACCEPTED_FILE } from './policy.ts';
import { PROJECT_FILE } from './suite.ts';

/**
 * Where the configuration in a folder has what the verdict of a run is about, with paths from the root of the checkout. `policy` is the path that `--policy` was given. The
 * run may be a stranger's: its names lead to no file outside of the checkout. What cannot be read has no line.
 */
export function configPlaces(root: string, { suite, services }: Run, policy: string | undefined): SourcePlaces {
  const named = services.flatMap(({ name, variant }) =>
    isName(name) ? [{ name, described: variant?.of ?? name }] : [],
  );
  const suiteFile = isName(suite.name) ? `suites/${suite.name}.yml` : 'suites';
  const isProject = !existsSync(join(root, suiteFile)) && existsSync(join(root, PROJECT_FILE));
  const suiteAt = fileAt(root, isProject ? PROJECT_FILE : suiteFile);
  const families = isProject ? [] : familiesIn(root);
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

/** `root` may be a folder below that of the checkout, which the paths are from. */
function fileAt(root: string, file: string): ConfigFile {
  const found = resolve(root, file);
  const path = relative(checkoutRoot(root) ?? root, found);
  const isOutside = path.startsWith('..') || isAbsolute(path);
  return { path: isOutside ? undefined : path, text: textOf(found) };
}

function familiesIn(root: string): Manifests['families'] {
  return unlessKnownError(() => manifestsIn(root).families) ?? [];
}

function textOf(path: string): string | undefined {
  return unlessKnownError(() => readText(path, ''));
}

/** An annotation without its line is better than a job that fails of it. */
function unlessKnownError<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return undefined;
    }
    throw thrown;
  }
}

/** A file of the configuration. */
export interface ConfigFile {
  /** From the root of the repository; undefined if it lies outside, of which nothing can be shown. */
  readonly path: string | undefined;
  /** Undefined if it cannot be read. */
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
  /** The file of `--policy`, if one was given. */
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
    cell: (cell) =>
      isOfService(cell) || memberOf(cell) !== undefined ? services.get(cell.service) : suite(stepsTo(cell)),
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

/** A remark that GitHub shows beside a line of a file and on the page of the workflow run; plain text without line breaks. */
export interface Annotation extends Partial<SourcePlace> {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

/** Where something stands. */
export interface SourcePlace {
  /** A file, from the root of the repository. */
  readonly path: string;
  /** From 1; undefined if the file is not there, is not YAML, or does not have it. */
  readonly line?: number | undefined;
}

/** Where the configuration has what a verdict is about; undefined if no file of the repository does. */
export interface SourcePlaces {
  readonly suite: SourcePlace | undefined;
  /** The operation of a cell, its tier where it is about all operations, its service where it is about all tiers. */
  readonly cell: (cell: CellKey) => SourcePlace | undefined;
  /** A budget, an acceptance by its number in the policy, from 0. */
  readonly budget: (index: number) => SourcePlace | undefined;
  readonly acceptance: (index: number) => SourcePlace | undefined;
}
