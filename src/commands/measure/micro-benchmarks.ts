import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { plainText } from '../../foundation/text.ts';
import { readAnyOutput } from '../../history/adapters/adapters.ts';
import { excessInFigures, type MicroBenchmarks } from '../../model/sample/micro-benchmark.ts';

const MOST_NAMED = 1000;

/** The micro-benchmarks in a file, for run.json. Throws ConfigError for a file that no benchmark tool printed. */
export function readMicroBenchmarks({ file, text }: SourceText): MicroBenchmarks {
  const found = readAnyOutput(text);
  const all = typeof found === 'string' ? [] : found.run.figures;
  const figures = all.map(({ repetitions: _repetitions, counts: _counts, ...figure }) => figure);
  const wrong = typeof found === 'string' ? found : excessInFigures(figures);
  if (typeof found === 'string' || wrong !== undefined) {
    throw new ConfigError(`${file}: ${wrong}`, {
      code: 'WG-602',
      next: 'Pass the complete, unchanged output of one of these tools to --benchmarks.',
    });
  }
  const { failures, leftOut } = found.run;
  const unread = leftOut.flatMap(({ name, why, kind }) => (kind === 'unread' ? [{ name, why }] : []));
  return {
    ...{ file: plainText(file, 400), tool: found.tool, figures },
    ...(failures.length > 0 && { failures: failures.slice(0, MOST_NAMED) }),
    ...(unread.length > 0 && { leftOut: unread.slice(0, MOST_NAMED) }),
  };
}
