/** Returns the value of a name in a family of placeholders; undefined without one. */
export type Lookup = (name: string) => string | undefined;

/** Lookups by family, the word before the first dot: `needs` for `${needs.db.host}`. */
export type Lookups = Readonly<Record<string, Lookup>>;

/** One `${<family>.<name>}` in a text. */
export interface Placeholder {
  readonly text: string;
  readonly family: string;
  readonly name: string;
}

const PLACEHOLDER = /\$\{([a-z]+)\.([^{}\s]*)\}/g;

export function placeholdersIn(text: string): readonly Placeholder[] {
  return [...text.matchAll(PLACEHOLDER)].map(([found, family = '', name = '']) => ({ text: found, family, name }));
}

/** Text with its placeholders filled in; those of other families or without a value remain. */
export function filled(text: string, lookups: Lookups): string {
  return text.replace(PLACEHOLDER, (found, family: string, name: string) => {
    // Ignores inherited properties such as `constructor`.
    const lookup = Object.hasOwn(lookups, family) ? lookups[family] : undefined;
    return lookup?.(name) ?? found;
  });
}

export function filledEnvironment(
  environment: Readonly<Record<string, string>>,
  lookups: Lookups,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value, lookups)]));
}
