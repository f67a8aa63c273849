import { describe, expect, it } from 'vitest';
import { pageStyle } from '../../../../scripts/generated/report-page.ts';
import { CHART_PLOT, chartKey, serviceClass } from '../../../../src/report/charts/frame.ts';

type Rgb = readonly [number, number, number];

/** Linear, 0 to 1. */
function rgbOf(color: string): Rgb {
  const long = color.length === 4 ? color.replace(/[0-9a-f]/g, '$&$&') : color;
  const linear = [1, 3, 5].map((at) => {
    const part = Number.parseInt(long.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return linear as unknown as Rgb;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other]
    .map(rgbOf)
    .map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b)
    .toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** How far colors are from each other in Oklab, in which what looks alike is near. */
function distance(one: string, other: string): number {
  const [left, right] = [one, other].map(rgbOf).map(([r, g, b]) => {
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  });
  return Math.hypot(...(left ?? []).map((value, index) => value - (right?.[index] ?? 0)));
}

const STYLE = await pageStyle();

/** The colors of the services and of the page, for a light screen, a dark one and paper. */
const [LIGHT, ...OTHERS] = STYLE.split(':root {')
  .slice(1)
  .map((theme) =>
    Object.fromEntries([...theme.matchAll(/--(\w+): (#[0-9a-f]{3,6})/g)].map(([, name, color]) => [name, color])),
  );

const THEMES = [LIGHT, ...OTHERS.map((own) => ({ ...LIGHT, ...own }))];

const SERVICES = Array.from({ length: 8 }, (_, index) => `s${index}`);

describe('the colors of eight services, as many as a suite of four has in both runtimes', () => {
  it.each(THEMES.map((theme, index) => [['light', 'dark', 'paper'][index], theme]))(
    'can be read: %s',
    (_name, theme) => {
      const colors = theme as Record<string, string>;
      for (const service of SERVICES) {
        expect(contrast(colors[service] ?? '', colors['page'] ?? ''), service).toBeGreaterThan(4.5);
      }
    },
  );

  it.each(THEMES.map((theme, index) => [['light', 'dark', 'paper'][index], theme]))('differ: %s', (_name, theme) => {
    const colors = theme as Record<string, string>;
    const pairs = SERVICES.flatMap((one, index) => SERVICES.slice(index + 1).map((other) => [one, other] as const));
    for (const [one, other] of pairs) {
      expect(distance(colors[one] ?? '', colors[other] ?? ''), `${one} and ${other}`).toBeGreaterThan(0.1);
    }
  });

  it('come with dashes and a shape each', () => {
    const key = chartKey(SERVICES).markup;
    const dashes = [...STYLE.matchAll(/^ {2}--dash: ([^;]+);/gm)].map(([, dash]) => dash);
    const shapes = [...key.matchAll(/class="mark s\d" d="([^"]*)"/g)].map(([, shape]) => shape);

    expect(SERVICES.map((_, index) => serviceClass(index))).toEqual(SERVICES);
    expect([new Set(dashes).size, new Set(shapes).size]).toEqual([8, 8]);
  });
});

it('places the labels of the axes next to the plot of a chart', () => {
  expect(STYLE).toContain(`translateX(${CHART_PLOT.left - 6}px)`);
  expect(STYLE).toContain(`translateY(${CHART_PLOT.bottom + 16}px)`);
});
