import { counted } from '../foundation/index.ts';
import { eachNamed, Gathering, jsonAdapter, numbersIn, recordOf } from './tool-run.ts';

type Item = Readonly<Record<string, unknown>>;

/** Adapter of hyperfine (`--export-json`): the median of all times of each command, in seconds. */
export const hyperfine = jsonAdapter((document) => {
  const results = recordOf(document)?.['results'];
  if (!Array.isArray(results) || (results.length > 0 && !results.some((one) => 'command' in (recordOf(one) ?? {})))) {
    return 'must be a map with a list of results that have a command';
  }
  const gathering = new Gathering();
  const [seen, repeated] = [new Set<unknown>(), new Set<unknown>()];
  for (const one of results) {
    const command = recordOf(one)?.['command'];
    (seen.has(command) ? repeated : seen).add(command);
  }
  eachNamed(gathering, results, (item, command) => {
    const name = repeated.has(command) ? [command, ...parametersOf(item)].join(' ') : command;
    const failed = failedRuns(item);
    if (failed !== undefined) {
      gathering.fail(name, failed);
    } else {
      gathering.figure({ name, metric: 'time', unit: 's', value: item['median'], values: numbersIn(item['times']) });
    }
  });
  return gathering.run();
});

/** Those that only a `--prepare` has are not in the command. */
function parametersOf({ parameters }: Item): readonly string[] {
  return Object.entries(recordOf(parameters) ?? {}).map(([key, value]) => `${key}=${String(value)}`);
}

function failedRuns({ exit_codes: codes }: Item): string | undefined {
  const failed = Array.isArray(codes) ? codes.filter((code) => code !== 0) : [];
  const [first] = failed;
  const how = typeof first === 'number' ? `exited with ${first}` : 'ended by a signal';
  return failed.length === 0 || !Array.isArray(codes)
    ? undefined
    : `${failed.length} of ${counted(codes.length, 'run')} ${how}`;
}
