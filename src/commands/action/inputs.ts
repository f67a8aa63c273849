import { ConfigError, messageOf, nearName } from '../../foundation/index.ts';
import { COMMENT_MODES } from '../../github/comment.ts';
import { isArtifactName } from '../../github/host/upload.ts';
import { RUNTIME_CHOICES } from '../../measure/index.ts';
import { ALERT_FORMATS } from '../../report/index.ts';
import {
  commaSeparated,
  compareProfileOf,
  durationOf,
  FAIL_ON,
  meantHint,
  shardCountOf,
  shardOf,
  wholeNumber,
} from '../program/options.ts';

/** What a step of a workflow can do. */
export const ACTION_MODES = ['compare', 'run', 'anchor', 'calibrate', 'plan', 'merge', 'comment', 'command'] as const;

/** What a step of a workflow does. */
export type ActionMode = (typeof ACTION_MODES)[number];

/** Every input of action.yml, and what reads its text; each throws an Error that says what to write instead. */
const READERS = {
  mode: oneOf(['auto', ...ACTION_MODES]),
  base: asGiven,
  directory: asGiven,
  suite: asGiven,
  services: commaSeparated,
  operations: commaSeparated,
  shard: shardOf,
  shards: shardCountOf,
  plan: asGiven,
  runs: asGiven,
  profile: compareProfileOf,
  rounds: wholeNumber,
  budget: durationOf,
  policy: asGiven,
  against: oneOf(['history', 'baseline', 'none']),
  runtime: oneOf(RUNTIME_CHOICES),
  'fail-on': oneOf(FAIL_ON),
  comment: oneOf(COMMENT_MODES),
  'comment-id': asGiven,
  workflow: asGiven,
  artifact: artifactName,
  upload: onOrOff,
  'check-run': onOrOff,
  publish: oneOf(['auto', 'always', 'never']),
  'alert-issue': onOrOff,
  'alert-webhook': asGiven,
  'alert-format': oneOf(ALERT_FORMATS),
  valgrind: oneOf(['auto', 'never']),
  profiler: oneOf(['auto', 'always', 'never']),
  token: asGiven,
} as const;

type InputName = keyof typeof READERS;

/** The inputs of a step by their names in action.yml, without those that are not given. */
export type StepInputs = { readonly [Name in InputName]?: ReturnType<(typeof READERS)[Name]> };

/** The names of all inputs. */
export const INPUTS: readonly string[] = Object.keys(READERS);

/** Reads all inputs. Throws one ConfigError that names every mistake: an unknown input, or a value that an input does not take. */
export function stepInputs(given: ReadonlyMap<string, string>): StepInputs {
  const mistakes = [...unknownInputs([...given.keys()])];
  const read: Record<string, unknown> = {};
  for (const [name, text] of given) {
    try {
      read[name] = READERS[name as InputName]?.(text);
    } catch (thrown) {
      mistakes.push({ says: `the input \`${name}\` is ${JSON.stringify(text)}`, next: messageOf(thrown) });
    }
  }
  if (mistakes.length > 0) {
    throw new ConfigError(mistakes.map(({ says }) => says).join('; '), {
      code: 'WG-501',
      next: mistakes.map(({ next }) => next).join(' '),
    });
  }
  return read;
}

/** The inputs that can be read, without the others: to tell of a mistake if the step is to tell of anything. */
export function readableInputs(given: ReadonlyMap<string, string>): StepInputs {
  const readable = [...given].filter((input) => isReadable(input));
  return stepInputs(new Map(readable));
}

function isReadable(input: readonly [string, string]): boolean {
  try {
    stepInputs(new Map([input]));
    return true;
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return false;
    }
    throw thrown;
  }
}

interface Mistake {
  readonly says: string;
  readonly next: string;
}

function unknownInputs(names: readonly string[]): readonly Mistake[] {
  const unknown = names.filter((name) => !INPUTS.includes(name));
  if (unknown.length === 0) {
    return [];
  }
  const near = unknown.flatMap((name) => nearName(name, INPUTS) ?? []);
  const advice =
    near.length === 0
      ? 'Remove it under `with:` of the step.'
      : `Did you mean \`with: { ${near.map((name) => `${name}: …`).join(', ')} }\`?`;
  return [{ says: `there is no input \`${unknown.join('`, `')}\``, next: `${advice} Inputs: ${INPUTS.join(', ')}.` }];
}

function asGiven(text: string): string {
  return text;
}

function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) {
      throw new Error(`Use one of: ${choices.join(', ')}.${meantHint(text, choices)}`);
    }
    return found;
  };
}

function onOrOff(text: string): boolean {
  return oneOf(['true', 'false'])(text) === 'true';
}

function artifactName(text: string): string {
  if (!isArtifactName(text)) {
    throw new Error('Use at most 200 characters, without " : < > | * ? \\ /.');
  }
  return text;
}
