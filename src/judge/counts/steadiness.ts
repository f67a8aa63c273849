import { mean } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { countedFindings } from './counted.ts';
import { type CountedFigure, countedFigures } from './figures.ts';

/** How steady the instructions of a service for a request are, by starts of one build. */
export interface CountedSteadiness {
  readonly service: string;
  /** Instructions for a request. */
  readonly perRequest: number;
  /** Starts of each side. */
  readonly starts: number;
  /** By how much starts of one side differ at most, relative. */
  readonly spread: number;
  /** Threshold of the policy, relative. */
  readonly threshold: number;
  /** From which threshold on a comparison like this one is decided: what its 95% interval leaves open, relative. */
  readonly supported: number;
  /** The smallest change that would have been found, relative. */
  readonly detectable: number | undefined;
}

/** Steadiness of the counts of each service in a comparison with itself, without uncounted services. */
export function countedSteadiness(run: RunInRounds): readonly CountedSteadiness[] {
  const figures = countedFigures(run).filter(isWhole);
  return countedFindings(run, run.rounds.policy)
    .filter(isWhole)
    .map(({ cell: { service }, base, rounds, threshold, detectable, change: { estimate, low, high } }) => ({
      service,
      perRequest: base,
      starts: rounds,
      spread: spreadOf(figures.find(({ cell }) => cell.service === service)),
      threshold,
      supported: Math.max(Math.abs(low ?? estimate), Math.abs(high ?? estimate)),
      detectable,
    }));
}

function isWhole({ cell, metric }: { readonly cell: CountedFigure['cell']; readonly metric: string }): boolean {
  return cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest';
}

function spreadOf(figure: CountedFigure | undefined): number {
  const spreads = [figure?.base ?? [], figure?.head ?? []].map((starts) => {
    const means = starts.map((windows) => mean(windows) ?? 0);
    return Math.max(...means) / Math.min(...means) - 1;
  });
  return Math.max(...spreads);
}
