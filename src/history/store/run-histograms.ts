import { mergeHistograms } from '../../foundation/histogram.ts';
import { keptSamples } from '../../judge/stored/measured-cells.ts';
import type { Run } from '../../model/run/run.ts';
import { ALL_OPERATIONS } from '../../model/sample.ts';
import type { RunHistograms } from './histograms.ts';

/** One per cent is finer than any picture. */
const DIGITS = 2;

/**
 * The latency distribution of each service and tier over all operations and rounds: what a history keeps, since one for every
 * operation would cost several times its figures. Throws ConfigError where one is damaged.
 */
export function runHistograms(run: Run): RunHistograms {
  const texts = new Map<string, string[]>();
  for (const { cell, histogram } of keptSamples(run)) {
    if (cell.operation === ALL_OPERATIONS) {
      const name = `${cell.service}/${cell.operation}/${cell.tier}`;
      texts.set(name, [...(texts.get(name) ?? []), histogram]);
    }
  }
  return Object.fromEntries([...texts].map(([name, found]) => [name, mergeHistograms(found, DIGITS)]));
}
