/** Colors that the canvas takes from the page's style, so that dark mode and print have their own. */
export interface Colours {
  readonly ink: string;
  readonly faint: string;
  readonly line: string;
  readonly page: string;
  readonly worse: string;
  readonly better: string;
  readonly services: readonly string[];
}

export function pageColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim() || 'gray';
  return {
    ink: colour('ink'),
    faint: colour('faint'),
    line: colour('line'),
    page: colour('page'),
    worse: colour('worse'),
    better: colour('better'),
    services: ['s0', 's1', 's2', 's3'].map(colour),
  };
}

/** Calls back when the page goes from light to dark, to print, or the other way, for as long as an area is part of it. */
export function onColourChange(area: HTMLElement, listener: () => void): void {
  for (const query of ['(prefers-color-scheme: dark)', 'print']) {
    const list = matchMedia(query);
    const heard = () => (area.isConnected ? listener() : list.removeEventListener('change', heard));
    list.addEventListener('change', heard);
  }
}

/** The color of a service's line: four, then from the start. */
export function serviceColour({ services, ink }: Colours, colour: number): string {
  return services[colour % services.length] ?? ink;
}

/** Dashes by tier; two services of one color differ by nothing else. */
const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [1, 5]];

export function dashOf(dash: number): readonly number[] {
  return DASHES[dash % DASHES.length] ?? [];
}
