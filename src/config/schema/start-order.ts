/** Things by their names, each with the names of those that come before it. */
export type Predecessors = Readonly<Record<string, readonly string[]>>;

/** An order in which each comes after what it needs, or the names along a circle, the first one again at its end. */
export type StartOrder =
  | { readonly kind: 'order'; readonly names: readonly string[] }
  | { readonly kind: 'circle'; readonly names: readonly string[] };

/** The order to start things in, as they stand where nothing else decides; names that there are none of are passed over. */
export function startOrder(predecessors: Predecessors): StartOrder {
  const names = new Set<string>();
  for (const name of Object.keys(predecessors)) {
    const circle = visit({ predecessors, names, trail: [] }, name);
    if (circle !== undefined) {
      return { kind: 'circle', names: circle };
    }
  }
  return { kind: 'order', names: [...names] };
}

interface Walk {
  readonly predecessors: Predecessors;
  /** Those that are in order already. */
  readonly names: Set<string>;
  /** What led here. */
  readonly trail: readonly string[];
}

/** Puts a name behind all that it needs; the circle where there is one. */
function visit({ predecessors, names, trail }: Walk, name: string): readonly string[] | undefined {
  if (names.has(name) || !Object.hasOwn(predecessors, name)) {
    return undefined;
  }
  if (trail.includes(name)) {
    return [...trail.slice(trail.indexOf(name)), name];
  }
  for (const before of predecessors[name] ?? []) {
    const circle = visit({ predecessors, names, trail: [...trail, name] }, before);
    if (circle !== undefined) {
      return circle;
    }
  }
  names.add(name);
  return undefined;
}
