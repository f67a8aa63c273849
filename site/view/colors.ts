/** Colors of the canvas from the page's style, so that dark mode and print have their own. */
export interface Colors {
  readonly ink: string;
  readonly faint: string;
  readonly line: string;
  readonly page: string;
  readonly worse: string;
  readonly better: string;
  readonly services: readonly string[];
}

export function pageColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim() || 'gray';
  return {
    ink: color('ink'),
    faint: color('faint'),
    line: color('line'),
    page: color('page'),
    worse: color('worse'),
    better: color('better'),
    services: ['s0', 's1', 's2', 's3'].map(color),
  };
}

/** Calls back when the page changes between light, dark and print, for as long as an area is part of it. */
export function onColorChange(area: HTMLElement, listener: () => void): void {
  for (const query of ['(prefers-color-scheme: dark)', 'print']) {
    const list = matchMedia(query);
    const heard = () => (area.isConnected ? listener() : list.removeEventListener('change', heard));
    list.addEventListener('change', heard);
  }
}

/** Color of a service's line: four, then repeated. */
export function serviceColor({ services, ink }: Colors, color: number): string {
  return services[color % services.length] ?? ink;
}

/** Dashes by tier, the only difference between two services with the same color. */
const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [1, 5]];

export function dashOf(dash: number): readonly number[] {
  return DASHES[dash % DASHES.length] ?? [];
}
