/** The label on whatever Wiregauge makes in the engine. */
export const MARK = 'wiregauge';

/** The label that names the process that a container belongs to: "<pid>:<start time of that process>". */
export const OWNER = 'wiregauge.owner';

/** The labels of a container that belongs to an owner. */
export function containerLabels(owner: string): Record<string, string> {
  return { [MARK]: '1', [OWNER]: owner };
}
