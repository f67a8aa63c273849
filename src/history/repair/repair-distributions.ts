import { readHistograms } from '../store/histograms.ts';
import { histogramsPath } from '../store/segments.ts';

/** The distributions beside a segment, as far as their lines are whole. */
export interface WholeDistributions {
  /** Undefined where there are none. */
  readonly text: string | undefined;
  readonly runs: ReadonlySet<string>;
  /** Whether there is a last line besides that was cut short: nothing can be made of it. */
  readonly isCut: boolean;
}

/** What a file of distributions still holds, if there is one; throws HistoryError where a whole line of it cannot be read. */
export function wholeDistributions(text: string | undefined, file: string): WholeDistributions {
  const whole = text?.slice(0, text.lastIndexOf('\n') + 1);
  const runs = readHistograms(whole ?? '', histogramsPath(file)).map(({ run }) => run);
  return { text: whole === '' ? undefined : whole, runs: new Set(runs), isCut: whole !== text };
}
