import { ALL_OPERATIONS } from '../../model/sample.ts';

/** A name as a configuration takes it, made of a text from outside; undefined where nothing of it is left. */
export function nameFrom(text: string | undefined): string | undefined {
  const name = (text ?? '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 80)
    .replace(/[-.]+$/, '');
  return name === '' ? undefined : name;
}

/** The same for an operation: the first of the texts that makes one. `verb` goes before the one name that no operation may have. */
export function operationNameFrom(texts: readonly (string | undefined)[], verb: string): string {
  const name = texts.map(nameFrom).find((one) => one !== undefined) ?? verb;
  return name === ALL_OPERATIONS ? `${verb}-${ALL_OPERATIONS}` : name;
}

/** The values with names of their own: the second `api` is `api-2`. */
export function withOwnNames<Named extends { readonly name: string }>(values: readonly Named[]): readonly Named[] {
  const taken = new Set<string>();
  return values.map((value) => {
    let name = value.name;
    for (let count = 2; taken.has(name); count += 1) {
      name = `${value.name.slice(0, 55)}-${count}`;
    }
    taken.add(name);
    return { ...value, name };
  });
}
