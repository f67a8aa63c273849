import { formatDuration } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';
import { MARK_MEANINGS, type Mark } from '../../model/sample/mark.ts';
import { isLoadedAt } from '../../model/suite/groups.ts';
import type { RunView, TierView } from './run-view.ts';
import { cellAt, cellsAt } from './service-comparison.ts';

/** Sentences on the limits of trust in a run: its rounds, missing cells, and marks of its samples. */
export function trustSentences(view: RunView): readonly string[] {
  const missing = missingPlaces(view);
  return [
    view.rounds === 1
      ? `Each figure ${view.run.versus === undefined ? '' : 'at a load '}was measured once, so it has no interval: a small difference may be chance.`
      : `Figures are medians of ${view.rounds} rounds, each with a fresh start of the service; ranges are the lowest and highest round.`,
    ...(view.run.complete && view.run.plan.cut === undefined ? [] : [endSentence(view.run)]),
    ...(missing.length === 0 ? [] : [`Not measured: ${wordList(missing)}.`]),
    // Rows have the places, and the summary the disturbed ones.
    ...[...new Set(marksOf(view))]
      .filter((mark) => mark !== 'disturbed')
      .map((mark) => `Marked ${mark}: ${MARK_MEANINGS[mark]}.`),
    ...coresRemark(view.run.runner, view.run.services),
  ];
}

function marksOf(view: RunView): readonly Mark[] {
  return cellsAt(view).flatMap(({ cell }) => cell.marks.map(({ mark }) => mark));
}

/** Warnings that a summary must include: a shared core, missing cells, a machine that was busy with other programs. */
export function cautions(view: RunView): readonly string[] {
  const cells = view.tiers.flatMap((tier) => loadedAt(view, tier)).length;
  const missing = missingPlaces(view).length;
  const disturbed = marksOf(view).filter((mark) => mark === 'disturbed').length;
  return [
    ...sharedCoreNote(view.run.runner),
    ...(missing === 0 ? [] : [`Incomplete: ${missing} of ${cells} cells were not measured.`]),
    ...(disturbed === 0
      ? []
      : [`Noisy machine: ${MARK_MEANINGS.disturbed} in ${disturbed} of ${cells} measurements, marked disturbed.`]),
  ];
}

function endSentence({ plan: { budgetSeconds = 0, cut } }: RunView['run']): string {
  if (cut === undefined) {
    return 'The run ended before its plan was complete.';
  }
  const parts = [
    ...(cut.slots === 0 ? [] : [`${cut.slots} ${cut.slots === 1 ? 'slot' : 'slots'}`]),
    ...(cut.rounds === 0 ? [] : [`the ${cut.rounds} rounds of the services against each other`]),
  ];
  return `The budget of ${formatDuration(budgetSeconds)} cut the run short: ${wordList(parts)} were not started.`;
}

function loadedAt({ run: { suite }, services }: RunView, { name: tier }: TierView): RunView['services'] {
  const requested = suite.tiers.find(({ name }) => name === tier);
  return services.filter(({ name }) => suite.groups === undefined || isLoadedAt(suite, name, requested));
}

function missingPlaces(view: RunView): readonly string[] {
  return view.tiers.flatMap((tier) =>
    loadedAt(view, tier)
      .filter((service) => cellAt(view, { tier }, service) === undefined)
      .map(({ label }) => `${label} at ${tier.label}`),
  );
}

/** Note on a core that the service and the load tool shared. */
export function sharedCoreNote({ serviceCore, loadCore }: RunnerFingerprint): readonly string[] {
  return serviceCore !== undefined && serviceCore === loadCore
    ? [
        'The runner has only one core, which the service and the load tool shared: each took time from the other, so the service looks slower than it is, and small changes go unnoticed. `runs-on: ubuntu-24.04` has enough cores.',
      ]
    : [];
}

/** Remark about a runner without exactly two cores. */
export function coresRemark(
  { cores, serviceCore, loadCore }: RunnerFingerprint,
  services: readonly { readonly cores?: 'each' | number | undefined }[],
): readonly string[] {
  if (serviceCore === undefined) {
    return [];
  }
  const requested = services.map((service) => service.cores);
  const most = Math.max(1, ...requested.map((one) => (typeof one === 'number' ? one : 1)));
  const pinned = requested.includes('each')
    ? 'each member of a service pinned to one'
    : most > 1
      ? `a service pinned to up to ${most}, the load tool to another`
      : 'the service pinned to one, the load tool to another';
  const isUsual = most === 1 && !requested.includes('each') && (cores === 2 || serviceCore === loadCore);
  return isUsual
    ? []
    : [`The runner has ${cores} cores, ${pinned}: compare figures only with those of runners with ${cores} cores.`];
}
