import type { ChartContent } from '../model/chart.ts';
import { isForeign, serviceLabel, sharedTierLabel } from '../model/words.ts';
import type { ChartPart, ChartView } from './chart-plot.ts';
import { dashOf } from './colors.ts';
import { element, swatch } from './element.ts';

/** Legend of colors (services) and dashes (tiers): above the chart, so that it is read before the figures. */
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
  const colors = new Map(lines.map(({ series, color }) => [series.service, color]));
  // The name of another tool alone distinguishes nothing.
  const isReported = colors.size > 1 || lines.some(({ series }) => !isForeign(series));
  return [...(isReported ? colors : [])].map(([service, color]) => item(swatch(color, []), serviceLabel(service)));
}

/** A single tier needs no dashes. */
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
