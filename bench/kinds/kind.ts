/** Changes that every request of a service then has, and what the table calls them. */
export const KINDS = new Map([
  ['json', 'JSON library'],
  ['logging', 'logging'],
  ['loop', 'loop'],
  ['answer', 'larger answer'],
  ['regex', 'regular expression'],
  ['allocation', 'allocation'],
  ['query', 'extra query'],
  ['compression', 'compression'],
  ['tls', 'TLS'],
  ['cache', 'cache-hostile walk'],
  ['lock', 'lock'],
  ['sleep', 'sleep'],
] as const);

export type Kind = Parameters<typeof KINDS.get>[0];

/** A service has no change, or one. */
export type Variant = Kind | 'none';

export const LANGUAGES = { python: 'Python', go: 'Go' } as const;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_KEYS = Object.keys(LANGUAGES) as readonly Language[];

/** Figures that are shown of each kind. */
export const FIGURES = { instructions: 'instructions', cpu: 'CPU time', rate: 'rate at saturation' } as const;

export type Figure = keyof typeof FIGURES;

export const FIGURE_KEYS = Object.keys(FIGURES) as readonly Figure[];

/** Figures that were measured so far. */
export interface Kept {
  /** Instructions for a request, by "python/json". */
  readonly counts: Readonly<Record<string, number>>;
  /** As multiples of the service without the change, which was loaded in turns with it. */
  readonly rounds: Readonly<Record<string, { readonly cpu: number; readonly rate: number }>>;
}

/** Name of a figure of a service in the kept results. */
export function keptName(language: Language, variant: Variant): string {
  return `${language}/${variant}`;
}

/** How many times as much a figure is with the change; undefined if it was not measured. */
export function multipleOf(
  { counts, rounds }: Kept,
  kind: Kind,
  [language, figure]: readonly [Language, Figure],
): number | undefined {
  const name = keptName(language, kind);
  if (figure !== 'instructions') {
    return rounds[name]?.[figure];
  }
  const [base, head] = [counts[keptName(language, 'none')], counts[name]];
  return base === undefined || head === undefined ? undefined : head / base;
}
