/** An argument that the suite makes larger from tier to tier, to see how its services take it. */
export interface Sweep {
  /** Of the one operation that each tier of the sweep asks for. */
  readonly argument: string;
  /** What it counts: "objects in an answer". */
  readonly title: string;
  /** Pictures that show some of the services each. */
  readonly panels: readonly SweepPanel[];
}

export interface SweepPanel {
  readonly title: string;
  readonly services: readonly string[];
}
