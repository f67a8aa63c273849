import { wordList } from '../../foundation/text.ts';
import { type CellTable, readCells } from '../../judge/reading/cells.ts';
import type { TierPair } from '../../judge/reading/tier-comparison.ts';
import { ALL_OPERATIONS, memberOf, SATURATION } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import { PROTOCOL_TITLES } from '../../model/service.ts';
import { isSameGroup } from '../../model/suite/groups.ts';
import { networkWords } from '../../model/suite/network.ts';
import type { Tier } from '../../model/suite/suite.ts';
import { tierTitle, tierWords, USERS } from '../../model/suite/tier-words.ts';

/** Run with its cells and the words for its parts; input of every reader of a run. */
export interface RunView {
  readonly run: Run;
  readonly cells: CellTable;
  /** The first one is the reference. */
  readonly services: readonly LabeledName[];
  /** Tiers in the suite's order, and saturation last if the plan had it. */
  readonly tiers: readonly TierView[];
  /** Planned number of rounds for each cell. */
  readonly rounds: number;
  readonly labels: Labels;
}

/** Labels of a service, an operation or its member, and a tier for tables; the name itself if the run lacks it. */
export interface Labels {
  readonly service: (name: string) => string;
  readonly operation: (name: string) => string;
  readonly tier: (name: string) => string;
}

export interface LabeledName {
  readonly name: string;
  readonly label: string;
}

/** Tier with its label, for example "500 users" or "800/s". */
export interface TierView {
  readonly name: string;
  readonly label: string;
  /** Label with its name in configurations and on the trend page: "500 users (medium)". */
  readonly title: string;
  readonly isSaturation: boolean;
  /** Its operations, all of them together first; a single one counts as all. */
  readonly operations: readonly LabeledName[];
}

/** View of a run: its samples by cell, and the names of its services, tiers and operations. */
export function viewRun(run: Run): RunView {
  return { run, cells: readCells(run), ...partsOf(run), rounds: run.plan.profile.rounds };
}

/** Labels for the parts of a run, without its samples. */
export function reportLabels(run: Run): Labels {
  return partsOf(run).labels;
}

function partsOf(run: Run): Pick<RunView, 'services' | 'tiers' | 'labels'> {
  const services = run.services.map((service) => ({ name: service.name, label: labelOf(service, run) }));
  const open = run.plan.modes.includes('open') ? run.suite.tiers.map((tier) => tierView(tier, run)) : [];
  const tiers = [...open, ...saturationOf(run)];
  const operations = operationsOf(run, undefined);
  const labelIn = (all: readonly LabeledName[], name: string) => all.find((one) => one.name === name)?.label ?? name;
  const labels: Labels = {
    service: (name) => labelIn(services, name),
    operation: (name) => memberOf({ operation: name }) ?? labelIn(operations, name),
    tier: (name) => labelIn(tiers, name),
  };
  return { services, tiers, labels };
}

/** Both services at the tier; undefined if one of them was not measured there, or if their operations differ. */
export function pairAt(view: RunView, tier: string, services: readonly [string, string]): TierPair | undefined {
  if (!isSameGroup(view.run.suite, ...services)) {
    return undefined;
  }
  const [reference, other] = services.map((service) => {
    const cell = view.cells.at({ service, operation: ALL_OPERATIONS, tier });
    return cell && { label: view.labels.service(service), cell };
  });
  return reference && other && { reference, other };
}

/** Several tiers in words, with the shared word once: "100 and 500 users". */
export function tierLabels(view: RunView, names: readonly string[]): string {
  const labels = names.map(view.labels.tier);
  return labels.every((label) => label.endsWith(USERS))
    ? `${wordList(labels.map((label) => label.slice(0, -USERS.length)))}${USERS}`
    : wordList(labels);
}

/** "REST" for the service "rest", "REST development" for "rest-development"; for any other its title, if that is plain and unique. */
function labelOf({ name, title, protocol }: Run['services'][number], run: Run): string {
  if (name === protocol) {
    return PROTOCOL_TITLES[protocol];
  }
  if (name.startsWith(`${protocol}-`)) {
    return `${PROTOCOL_TITLES[protocol]} ${name.slice(protocol.length + 1)}`;
  }
  const isShared = run.services.some(
    (other) =>
      other.name !== name && [other.name, other.title, String(PROTOCOL_TITLES[other.protocol])].includes(title),
  );
  // A plain title may be used in any text of a report, like a name: it is untrusted and never markup.
  return /^[A-Za-z][\w. -]{0,39}$/.test(title) && !isShared ? title : name;
}

function tierView(tier: Tier, run: Run): TierView {
  const { name } = tier;
  const label = tierWords(tier);
  const title = tierTitle(tier);
  const isOnly = run.suite.tiers.filter((other) => tierWords(other) === label).length === 1;
  return {
    name,
    label: isOnly ? label : title,
    title,
    isSaturation: false,
    operations: operationsOf(run, tier.operations),
  };
}

const ALL: LabeledName = { name: ALL_OPERATIONS, label: 'All operations' };

/** Those of the names, else all. */
function operationsOf({ suite }: Run, names: readonly string[] | undefined): readonly LabeledName[] {
  const own = suite.operations.filter(({ name }) => names?.includes(name) ?? true);
  const views = own.map(({ name }) => ({ name, label: name }));
  const [only] = views;
  return names !== undefined && views.length === 1 && only !== undefined
    ? [{ ...ALL, label: only.label }]
    : [ALL, ...views];
}

function saturationOf(run: Run): readonly TierView[] {
  const operations = operationsOf(run, undefined);
  const { network } = run.suite;
  const label = network === undefined ? 'saturation' : `saturation with ${networkWords(network)}`;
  return run.plan.modes.includes('saturate')
    ? [{ name: SATURATION, label, title: label, isSaturation: true, operations }]
    : [];
}
