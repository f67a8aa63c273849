import type { Block, Document, Section } from '../document.ts';
import type { About } from '../views/about.ts';
import { type Html, html, joinLines } from './markup.ts';

/** Attribute by which the script of a page finds what it can hide: ` data-at="s0 t2 m5 c1"`. */
export function aboutAttribute(about: About | undefined): Html {
  return html` data-at="${about}"`;
}

/**
 * Filters for service, tier and metric, from the rows and charts of these sections, and for changes only. Hidden until the script of the page shows
 * them, folded on a narrow screen; undefined if there is nothing to choose, or if all rows fit into view.
 */
export function filterForm({ filters }: Document, sections: readonly Section[]): Html | undefined {
  const abouts = sections.flatMap(({ blocks }) => aboutsIn(blocks)).filter((about) => about !== undefined);
  if (filters === undefined || abouts.length < FEWEST_ROWS) {
    return undefined;
  }
  const used = new Set(abouts.flatMap((about) => about.split(' ')));
  const { services, tiers, metrics, changed } = filters;
  const controls = [
    ...choice('Service', 's', services, used),
    ...choice('Tier', 't', tiers, used),
    ...choice('Metric', 'm', metrics, used),
    ...(used.has('c0') && used.has('c1')
      ? [html`<label><input type="checkbox" name="changed" value="c1"> ${changed}</label>`]
      : []),
  ];
  return controls.length === 0
    ? undefined
    : html`<details class="filters" hidden><summary>Filter</summary><form role="search" aria-label="Filter" autocomplete="off">
${joinLines(controls)}
<button type="button">Show all</button> <output></output>
</form></details>`;
}

/** Fewer rows and charts need no filter. */
const FEWEST_ROWS = 30;

function aboutsIn(blocks: readonly Block[]): readonly (About | undefined)[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case 'table':
        return [block.about, ...block.rows.map(({ about }) => about)];
      case 'figures':
        return block.charts.map(({ about }) => about);
      case 'fold':
        return aboutsIn(block.blocks);
      default:
        return [];
    }
  });
}

/** Empty if all rows and charts have the same subject. */
function choice(title: string, word: string, labels: readonly string[], used: ReadonlySet<string>): readonly Html[] {
  const options = labels.flatMap((label, number) =>
    used.has(`${word}${number}`) ? [html`<option value="${word}${number}">${label}</option>`] : [],
  );
  return options.length < 2
    ? []
    : [
        html`<label>${title} <select name="${title.toLowerCase()}"><option value="">all</option>${options}</select></label>`,
      ];
}
