import { nameHint } from '../../foundation/near-name.ts';
import { placeholdersIn } from '../../foundation/placeholders.ts';

/** The needs that placeholders may name. */
export interface NeedNames {
  /** All that there are. */
  readonly all: readonly string[];
  /** Those that run by then. */
  readonly listed: readonly string[];
}

/** A value whose placeholder stands for nothing. */
interface Misfit {
  readonly path: (string | number)[];
  readonly message: string;
}

/** The values of an environment that name a need which there is not, or something of it that it does not have. */
export function needPlaceholders(environment: Readonly<Record<string, string>>, known: NeedNames): readonly Misfit[] {
  return Object.entries(environment).flatMap(([variable, value]) =>
    placeholdersIn(value)
      .filter(({ family }) => family === 'needs')
      .map(({ text, name }) => ({ path: ['environment', variable], message: complaintOf(text, name, known) }))
      .flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }])),
  );
}

function complaintOf(text: string, name: string, { all, listed }: NeedNames): string | undefined {
  const [, need = name, what = ''] = /^(.*)\.(host|port)$/.exec(name) ?? [];
  if (what === '') {
    return `${text} stands for nothing: write \${needs.<name>.host} or \${needs.<name>.port}`;
  }
  if (!all.includes(need)) {
    const hint = all.length === 0 ? 'it has no needs' : nameHint(need, all);
    return `${text} stands for nothing: there is no ${need} among its needs; ${hint}`;
  }
  return listed.includes(need) ? undefined : `${text} stands for nothing yet: list ${need} in its needs`;
}
