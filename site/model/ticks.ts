/** Round values for a logarithmic axis between two figures; linear ones if it spans less than threefold. */
export function logarithmicTicks(low: number, high: number): readonly number[] {
  if (!(low > 0) || !(high > low)) {
    return [];
  }
  if (high / low < 3) {
    return linearTicks(low, high, 5);
  }
  const steps = high / low > 1e4 ? [1] : high / low > 200 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); decade += 1) {
    ticks.push(...steps.map((step) => Number(`${step}e${decade}`)));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** About this many round values between two figures. */
export function linearTicks(low: number, high: number, about: number): readonly number[] {
  if (!(high > low)) {
    return [];
  }
  const raw = (high - low) / about;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((one) => one * decade >= raw) ?? 10) * decade;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Ends of a linear axis: with margins above and below, and never so narrow that noise fills it. */
export function linearRange(low: number, high: number): readonly [number, number] {
  const most = Math.max(Math.abs(low), Math.abs(high));
  const least = most * 0.2 || 1;
  const middle = (low + high) / 2;
  const half = Math.max((high - low) * 0.58, least / 2);
  const bottom = middle - half;
  return [low >= 0 ? Math.max(0, bottom) : bottom, middle + half];
}

/** Ends of an axis of ratios to an anchor: it always includes the anchor, and 2% on either side of it. */
export function ratioRange(low: number, high: number): readonly [number, number] {
  const [bottom, top] = [Math.min(low, 0.98), Math.max(high, 1.02)];
  const room = 0.08 * (top - bottom);
  return [bottom - room, top + room];
}

export function logarithmicRange(low: number, high: number): readonly [number, number] {
  const room = Math.max(1.08, (high / low) ** 0.06);
  return [low / room, high * room];
}
