import { parseArgs } from 'node:util';
import { nameHint } from '../../src/foundation/names.ts';
import type { Kind, Wish } from './kind.ts';
import { protocol } from './protocol.ts';
import { service } from './service.ts';
import { suite } from './suite.ts';

/** Kinds that can be made. */
const KINDS: Readonly<Record<string, Kind>> = { service, protocol, suite };

/** Valid request. */
interface Request extends Wish {
  readonly kind: Kind;
}

/** Request in the arguments, or all mistakes in them, one sentence each. */
export function readRequest(argv: readonly string[], root: string): Request | { readonly mistakes: readonly string[] } {
  const { positionals, values } = parseArgs({ args: [...argv], strict: false, options: TEXTS });
  const [kindName = '', name, ...others] = positionals;
  const kind = Object.hasOwn(KINDS, kindName) ? KINDS[kindName] : undefined;
  const more = others.length > 0 ? [`one name is enough: what is ${others.join(' ')}?`] : [];
  if (kind === undefined) {
    return { mistakes: [kindMistake(kindName), ...more] };
  }
  const texts = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const wish = { name: name ?? '', options: Object.fromEntries(texts) };
  const ofWish = name === undefined ? ['a name is missing'] : kind.mistakes(wish, root);
  const mistakes = [...optionMistakes(kind, values), ...ofWish, ...more];
  return mistakes.length > 0 ? { mistakes } : { ...wish, kind };
}

const TEXTS = Object.fromEntries(
  Object.values(KINDS).flatMap(({ options }) =>
    Object.keys(options).map((name) => [name, { type: 'string' as const }]),
  ),
);

function kindMistake(name: string): string {
  const known = Object.keys(KINDS);
  return name === ''
    ? `what is to be made is missing: ${known.join(', ')}`
    : `there is no kind ${name}: ${nameHint(name, known)}`;
}

function optionMistakes({ options }: Kind, values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (!Object.hasOwn(options, name)) {
      return [
        `there is no option --${name} here; there are ${Object.keys(options)
          .map((one) => `--${one}`)
          .join(', ')}`,
      ];
    }
    return typeof value === 'string' ? [] : [`--${name} needs a value: ${options[name]?.[0] ?? ''}`];
  });
}

/** Output of `--help`. */
export const HELP = [
  'Usage: npm run new -- <kind> <name> [options]',
  '',
  'Writes something that works and passes its tests, to be changed.',
  ...Object.entries(KINDS).flatMap(([name, { about, options }]) => [
    '',
    `${name} <name>`,
    `  ${about}`,
    ...Object.entries(options).map(([option, [takes, says]]) => `  ${`--${option} ${takes}`.padEnd(26)}${says}`),
  ]),
].join('\n');
