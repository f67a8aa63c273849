/** Gives an id for what makes a run the one that it is: the same for the same, and another for any other. */
export type NameRun = (identity: string) => string;

/** The same, but that each of several runs that are alike has an id of its own. */
export function namedOnce(nameRun: NameRun): NameRun {
  const seen = new Map<string, number>();
  return (identity) => {
    const times = seen.get(identity) ?? 0;
    seen.set(identity, times + 1);
    return nameRun(times === 0 ? identity : `${identity} ${times}`);
  };
}
