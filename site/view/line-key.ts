import type { ChartContent } from '../model/chart.ts';
import { isForeign, serviceLabel, sharedTierLabel } from '../model/words.ts';
import type { ChartPart, ChartView } from './chart-plot.ts';
import { dashOf } from './colours.ts';
import { element, swatch } from './element.ts';

/** Which color is which service, and which dashes which tier: above the chart, so that it is read before the figures. */
export function lineKey(view: ChartView): ChartPart {
  const node = element('ul', { class: 'key line-key' });
  let known: ChartContent | undefined;
  return {
    node,
    update() {
      const content = view.content();
      if (content !== known) {
        known = content;
        node.replaceChildren(...(content === undefined ? [] : [...services(content), ...tiers(content)]));
      }
    },
  };
}

function services({ lines }: ChartContent): readonly HTMLElement[] {
  const colours = new Map(lines.map(({ series, colour }) => [series.service, colour]));
  // The name of another tool alone tells nothing apart.
  const isReported = colours.size > 1 || lines.some(({ series }) => !isForeign(series));
  return [...(isReported ? colours : [])].map(([service, colour]) => item(swatch(colour, []), serviceLabel(service)));
}

/** One tier alone needs no dashes. */
function tiers({ lines }: ChartContent): readonly HTMLElement[] {
  const dashes = new Map(lines.map(({ series, dash }) => [series.tier, dash]));
  const all = lines.map(({ series }) => series);
  return dashes.size < 2
    ? []
    : [...dashes].map(([tier, dash]) => item(swatch(undefined, dashOf(dash)), sharedTierLabel(tier, all)));
}

function item(mark: SVGElement, text: string): HTMLElement {
  return element('li', {}, [mark, text]);
}
