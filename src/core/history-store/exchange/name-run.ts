/** Gives an id for what makes a run the one that it is: the same for the same, and another for any other. */
export type NameRun = (identity: string) => string;
