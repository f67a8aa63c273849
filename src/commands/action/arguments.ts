import { parseArgs } from 'node:util';
import { messageOf } from '../../foundation/errors.ts';

/** Invalid part of an input, and the fix. */
export interface Mistake {
  readonly says: string;
  readonly next: string;
}

/** Commands that `args` can begin with, and their jobs. */
const COMMANDS: Readonly<Record<string, string>> = {
  'compare --anchor': 'anchor',
  compare: 'compare',
  run: 'run',
  calibrate: 'calibrate',
  'shards plan': 'plan',
  'shards merge': 'comment',
  'github command': 'command',
};

const MODES: Readonly<Record<string, string>> = {
  anchor: 'args: compare --anchor',
  calibrate: 'args: calibrate',
  plant: 'args: calibrate --plant 5%',
  plan: 'args: shards plan',
  merge: 'mode: comment',
  command: 'args: github command',
};

/** Former values of inputs that became options; empty for the default. */
const VALUES: Readonly<Record<string, string>> = {
  'against baseline': 'history:baselines',
  'always false': '',
  'profiler auto': '',
  'profiler always': 'auto',
  'profiler never': 'off',
};

/** Option for the format of a webhook; the input of this name is its address. */
const RENAMED: Readonly<Record<string, string>> = { 'alert-webhook': 'alert-format' };

const SWITCHES: ReadonlySet<string> = new Set(['always', 'anchor']);

/**
 * Texts of inputs by name in their current form, with the options in `args`; `options` are names of options that are not inputs. `open` are those
 * that a workflow expression in `args` may set, `changes` former inputs with their current form.
 */
export function namedInputs(given: ReadonlyMap<string, string>, options: readonly string[]) {
  const { args = '', mode = '', ...others } = Object.fromEntries(given);
  const former = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  const [, command] = /^args: (.*)/.exec(former ?? '') ?? [];
  const current = command === undefined && former !== undefined ? 'comment' : mode;
  const renamed = Object.entries(others).map(([name, text]) => [name, VALUES[`${name} ${text}`] ?? text] as const);
  const own = command?.replace(/ --.*/, '') ?? '';
  const isRepeated = own !== '' && `${args.trimStart()} `.startsWith(`${own} `);
  const rest = isRepeated ? args.trimStart().slice(own.length) : args;
  const parsed = parsedArguments(`${command ?? ''} ${rest}`, options);
  const texts = { mode: command === undefined ? current : '', ...Object.fromEntries(renamed), ...parsed.texts };
  const changes = renamed
    .filter(([name, text]) => options.includes(name) && text !== '')
    .map(
      ([name, text]) => [`${name}: ${others[name]}`, `args: --${name}${SWITCHES.has(name) ? '' : ` ${text}`}`] as const,
    );
  return {
    texts: new Map(Object.entries(texts).filter(([, text]) => text !== '')),
    mistakes: parsed.mistakes,
    open: parsed.isOpen ? [...options, ...COMMON] : [],
    changes: [...(former === undefined ? [] : [[`mode: ${mode}`, former] as const]), ...changes],
  };
}

/** Words of a command line; a workflow expression is one, and quotes join several. */
const WORD = /(?:\$\{\{.*?\}\}|"[^"]*"|'[^']*'|[^\s"'])+/g;

const COMMON = ['alert-webhook', 'suite', 'profile', 'budget', 'shard', 'fail-on', 'comment-id'];

interface ParsedArguments {
  readonly texts: Readonly<Record<string, string>>;
  readonly mistakes: readonly Mistake[];
  /** True if a workflow expression may set further options. */
  readonly isOpen: boolean;
}

function parsedArguments(args: string, names: readonly string[]): ParsedArguments {
  const options = Object.fromEntries(
    [...names, ...COMMON].map((name) => [name, { type: SWITCHES.has(name) ? 'boolean' : 'string' } as const]),
  );
  const words = [...args.matchAll(WORD)].map(([word]) => word.replaceAll(/(["'])(.*?)\1/g, '$2'));
  try {
    if (/["']/.test(args.replaceAll(WORD, ''))) {
      throw new Error('a quote has no end');
    }
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    const texts = Object.entries(values).map(([name, value]) => [RENAMED[name] ?? name, String(value)]);
    const computed = positionals.filter((word) => word.includes('${{')).join(' ');
    const command = positionals.filter((word) => !word.includes('${{')).join(' ');
    const mode = command === '' && computed !== '' ? computed : jobOf(command, values);
    return {
      texts: { ...(mode !== '' && { mode }), ...Object.fromEntries(texts) },
      mistakes: [],
      isOpen: computed !== '',
    };
  } catch (thrown) {
    const next = `Options: ${Object.keys(options)
      .map((name) => `--${name}`)
      .join(', ')}.`;
    const says = `the input \`args\`: ${messageOf(thrown).split('. ', 1)}`;
    return { texts: {}, mistakes: [{ says, next }], isOpen: args.includes('${{') };
  }
}

/** Options that only one command has. */
const OWNERS = [
  ['anchor', 'compare'],
  ['plant', 'calibrate'],
] as const;

/** Job of a command with its options; empty without a command. */
function jobOf(command: string, given: object): string {
  const [option, owner] = OWNERS.find(([name, one]) => name in given && command !== one) ?? [];
  if (option !== undefined) {
    throw new Error(`--${option} is an option of ${owner}: write \`${owner} --${option}\``);
  }
  const name = 'anchor' in given ? `${command} --anchor` : command;
  const job = name === '' ? '' : Object.hasOwn(COMMANDS, name) && COMMANDS[name];
  if (typeof job !== 'string') {
    throw new Error(`${command} is none of ${Object.keys(COMMANDS).join(', ')}; run others with npx wiregauge`);
  }
  return job;
}
