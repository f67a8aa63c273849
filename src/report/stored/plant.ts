import { counted, formatDuration } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { plantResults } from '../../judge/calibration/plant.ts';
import { type PlantRecord, plantSize } from '../../model/run/plant.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { serviceName } from '../comparison/words.ts';
import type { Status } from '../document.ts';

/** Result of a plant: "Planted 5% slowdown: found in REST after 10 rounds, 2 min 50 s". Undefined for any other comparison. */
export function plantLine(view: ComparisonView): string | undefined {
  const { run, result } = view;
  if (run?.rounds.plant === undefined) {
    return undefined;
  }
  const results = plantResults(run, result);
  const found = results
    .filter(({ isFound }) => isFound)
    .map(
      (one) =>
        `${serviceName(view, one.service)} after ${counted(one.rounds, 'round')}, ${formatDuration(one.seconds)}`,
    );
  const missed = results
    .filter(({ isFound }) => !isFound)
    .map((one) => `${serviceName(view, one.service)} in ${counted(one.rounds, 'round')}`);
  const clauses = [
    ...(found.length === 0 ? [] : [`found in ${wordList(found)}`]),
    ...(missed.length === 0 ? [] : [`not found in ${wordList(missed)}`]),
  ];
  return `Planted ${plantTitle(run.rounds.plant)}: ${clauses.join('; ')}`;
}

/** Good if every plant was found, though its service regressed. Undefined for any other comparison. */
export function plantStatus({ run, result }: ComparisonView): Status | undefined {
  const isPlant = run?.rounds.plant !== undefined;
  return isPlant ? (plantResults(run, result).every(({ isFound }) => isFound) ? 'good' : 'bad') : undefined;
}

/** Proof that the gate works: "This gate found a planted 5% slowdown on this kind of runner on 2026-11-20, after 2 min 50 s." */
export function storedPlantLines({ run }: ComparisonView): readonly string[] {
  const plant = run?.rounds.stored?.plant;
  if (plant === undefined) {
    return [];
  }
  const { cpu, at, seconds, rounds } = plant;
  const which = `a planted ${plantTitle({ cpu })} on this kind of runner on ${at.slice(0, 10)}`;
  return seconds === undefined
    ? [`This gate did not find ${which}, in ${counted(rounds, 'round')}.`]
    : [`This gate found ${which}, after ${formatDuration(seconds)}.`];
}

/** Name of a plant: "5% slowdown". */
export function plantTitle(plant: PlantRecord): string {
  const size = plantSize(plant);
  if ('cpu' in plant) {
    return `${size} slowdown`;
  }
  if ('leakBytes' in plant) {
    return `leak of ${plant.leakBytes} B per request`;
  }
  return 'startMs' in plant ? `delay of the start by ${size}` : `${size} of memory`;
}
