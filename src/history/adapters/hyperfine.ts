import { type LooseMap, mapIn } from '../../config/yaml/lines.ts';
import { counted } from '../../foundation/numbers.ts';
import { jsonAdapter, mapsIn, numbersIn, ofEach } from './json.ts';
import { failure } from './results.ts';

/** Adapter of hyperfine (`--export-json`): the median of all times of each command, in seconds. */
export const hyperfine = jsonAdapter((document) => {
  const results = mapsIn(mapIn(document)['results']);
  if (results === undefined || (results.length > 0 && !results.some((one) => 'command' in one))) {
    return 'must be a map with a list of results that have a command';
  }
  const seen = new Set<unknown>();
  const repeated = new Set(results.map(({ command }) => command).filter((one) => seen.size === seen.add(one).size));
  return ofEach(results, (item, command) => {
    // The command lacks parameters that are used only in --prepare.
    const given = repeated.has(command) ? Object.entries(mapIn(item['parameters'])) : [];
    const name = [command, ...given.map(([key, value]) => `${key}=${String(value)}`)].join(' ');
    const { median: value, times } = item;
    const why = failedRuns(item);
    return why === undefined
      ? [{ kind: 'figure', name, metric: 'time', unit: 's', value, values: numbersIn(times) }]
      : [failure(name, why)];
  });
});

function failedRuns({ exit_codes: codes }: LooseMap): string | undefined {
  const all: readonly unknown[] = Array.isArray(codes) ? codes : [];
  const failed = all.filter((code) => code !== 0);
  const how = typeof failed[0] === 'number' ? `exited with ${failed[0]}` : 'ended by a signal';
  return failed.length === 0 ? undefined : `${failed.length} of ${counted(all.length, 'run')} ${how}`;
}
