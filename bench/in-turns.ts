/** Output of a bench that compares Wiregauge with another load tool, in turns. */

/** Results of either for a load; latencies in ms. */
export interface Figures {
  readonly requests: number;
  readonly rps: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
}

/** Prints what one of them says, on a line. */
export function printFigures(name: string, { requests, ...others }: Figures): void {
  const { rps, mean, p50, p99 } = others;
  const figures = Object.entries({ rps, mean, p50, p99 }).map(([metric, value]) => `${metric} ${value.toFixed(2)}`);
  console.log(`${name.padEnd(9)}  requests ${requests}  ${figures.join('  ')}`);
}

/** Runs pairs, each tool as often first as last, and prints its figures for each. */
export async function inTurns(
  [one, other]: readonly [string, string],
  pairs: number,
  play: (name: string) => Promise<Figures>,
): Promise<void> {
  const order = [one, other, other, one];
  for (let turn = 0; turn < 2 * pairs; turn += 1) {
    const name = order[turn % order.length] ?? one;
    printFigures(name, await play(name));
  }
}
