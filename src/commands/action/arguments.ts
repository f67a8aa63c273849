import { parseArgs } from 'node:util';
import { messageOf } from '../../foundation/errors.ts';

/** Part of an input that cannot be read, and the fix. */
export interface Mistake {
  readonly says: string;
  readonly next: string;
}

/** Inputs as texts by name, with the options in `args` and former inputs. */
interface NamedInputs {
  readonly texts: ReadonlyMap<string, string>;
  readonly mistakes: readonly Mistake[];
  /** Former inputs with their form of today. */
  readonly changes: readonly (readonly [former: string, current: string])[];
}

/** Commands that `args` can begin with, each with its job. */
const COMMANDS: Readonly<Record<string, string>> = {
  'compare --anchor': 'anchor',
  compare: 'compare',
  run: 'run',
  calibrate: 'calibrate',
  'shards plan': 'plan',
  'shards merge': 'comment',
  'github command': 'command',
};

/** Former modes. */
const MODES: Readonly<Record<string, string>> = {
  anchor: 'args: compare --anchor',
  calibrate: 'args: calibrate',
  plant: 'args: calibrate --plant 5%',
  plan: 'args: shards plan',
  merge: 'mode: comment',
  command: 'args: github command',
};

/** Former values of inputs that are options now, if they differ; empty for the default. */
const VALUES: Readonly<Record<string, string>> = {
  'against baseline': 'history:baselines',
  'always false': '',
  'profiler auto': '',
  'profiler always': 'auto',
  'profiler never': 'off',
};

/** The option for the format of a webhook; the input of this name is its address. */
const RENAMED: Readonly<Record<string, string>> = { 'alert-webhook': 'alert-format' };

const SWITCHES: ReadonlySet<string> = new Set(['always', 'anchor']);

/** Inputs as texts, with `args` and former inputs in the words of today; `options` are the names of options that are no inputs. */
export function namedInputs(given: ReadonlyMap<string, string>, options: readonly string[]): NamedInputs {
  const { args = '', mode = '', ...others } = Object.fromEntries(given);
  const former = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  const [, command] = /^args: (.*)/.exec(former ?? '') ?? [];
  const current = command === undefined && former !== undefined ? 'comment' : mode;
  const renamed = Object.entries(others).map(([name, text]) => [name, VALUES[`${name} ${text}`] ?? text] as const);
  const parsed = parsedArguments(`${command ?? ''} ${args}`, options);
  const texts = { mode: command === undefined ? current : '', ...Object.fromEntries(renamed), ...parsed.texts };
  const changes = renamed
    .filter(([name, text]) => options.includes(name) && text !== '')
    .map(
      ([name, text]) => [`${name}: ${others[name]}`, `args: --${name}${SWITCHES.has(name) ? '' : ` ${text}`}`] as const,
    );
  return {
    texts: new Map(Object.entries(texts).filter(([, text]) => text !== '')),
    mistakes: parsed.mistakes,
    changes: [...(former === undefined ? [] : [[`mode: ${mode}`, former] as const]), ...changes],
  };
}

/** Words of a command line: an expression of a workflow is one, and quotes join several. */
const WORD = /(?:\$\{\{.*?\}\}|"[^"]*"|'[^']*'|[^\s"'])+/g;

const COMMON = ['alert-webhook', 'suite', 'profile', 'budget', 'shard', 'fail-on', 'comment-id'];

function parsedArguments(
  args: string,
  names: readonly string[],
): { readonly texts: Readonly<Record<string, string>>; readonly mistakes: readonly Mistake[] } {
  const options = Object.fromEntries(
    [...names, ...COMMON].map((name) => [name, { type: SWITCHES.has(name) ? 'boolean' : 'string' } as const]),
  );
  const words = [...args.matchAll(WORD)].map(([word]) => word.replaceAll(/(["'])(.*?)\1/g, '$2'));
  try {
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    const texts = Object.entries(values).map(([name, value]) => [RENAMED[name] ?? name, String(value)]);
    const mode = positionals.length === 0 ? {} : { mode: jobOf(positionals.join(' '), values) };
    return { texts: { ...mode, ...Object.fromEntries(texts) }, mistakes: [] };
  } catch (thrown) {
    const next = `Options: ${Object.keys(options)
      .map((name) => `--${name}`)
      .join(', ')}.`;
    return { texts: {}, mistakes: [{ says: `the input \`args\`: ${messageOf(thrown).split('. ', 1)}`, next }] };
  }
}

function jobOf(command: string, given: object): string {
  const job = command.startsWith('${{') ? command : COMMANDS['anchor' in given ? `${command} --anchor` : command];
  if (job === undefined) {
    throw new Error(`${command} is none of ${Object.keys(COMMANDS).join(', ')}; run others with npx wiregauge`);
  }
  return job;
}
