import uPlot from 'uplot';
import { messageOf } from '../../src/foundation/errors.ts';
import { formatMs, NO_FIGURE } from '../../src/foundation/numbers.ts';
import type { Series } from '../../src/history/store/entry.ts';
import { presentCells } from '../../src/history/store/names.ts';
import { type RunHistograms, readHistograms } from '../../src/history/store/segment.ts';
import { distributionsLoss, histogramsPath } from '../../src/history/store/segments.ts';
import { type LatencyCurve, latencyCurve, NINES, percentileText } from '../model/distribution.ts';
import { logarithmicRange, logarithmicTicks } from '../model/ticks.ts';
import { operationLabel, serviceLabel, sharedTierLabel } from '../model/words.ts';
import type { Session } from '../session.ts';
import { textIfAny } from '../source.ts';
import { onColorChange, pageColors } from './colors.ts';
import { element, note, scrollTable, swatch, tableRow } from './element.ts';
import { endsOf } from './plot.ts';

/** Latency distributions of two runs in one chart, for one cell at a time. */
export function compareLatency(session: Session, base: string, head: string): HTMLElement {
  const box = element('div', { class: 'latency' }, [note('Reading the latency distributions…')]);
  const fill = async () => {
    const [from, to] = await Promise.all([keptOf(session, base), keptOf(session, head)]);
    const cells = Object.keys(from.cells).filter((cell) => Object.hasOwn(to.cells, cell));
    const losses = new Set([from, to].flatMap(({ loss }) => loss ?? []));
    box.replaceChildren(
      ...[...losses].map((loss) => failure(`Latency distributions are missing: ${loss}`)),
      ...(cells.length === 0
        ? [note('These two runs have no latency distributions for the same cell.')]
        : chooser(session, cells, [from.cells, to.cells])),
    );
  };
  fill().catch((thrown: unknown) => {
    box.replaceChildren(failure(`The latency distributions cannot be read: ${messageOf(thrown)}`));
  });
  return box;
}

function failure(text: string): HTMLElement {
  return element('p', { class: 'failures' }, [text]);
}

/** Distributions of a run, none if its segment has none; and the reason if some of that segment are missing. */
interface Kept {
  readonly cells: RunHistograms;
  readonly loss: string | undefined;
}

async function keptOf({ source, history }: Session, run: string): Promise<Kept> {
  const { store, index } = history();
  const place = store.places.get(run);
  const file = place === undefined ? undefined : store.chunks[store.chunkOf[place] ?? -1]?.file;
  const row = index.segments.find((one) => one.file === file);
  if (row === undefined) {
    return { cells: {}, loss: undefined };
  }
  const path = histogramsPath(row.file);
  const text = await textIfAny(source, path);
  const cells = readHistograms(text ?? '', path).find((one) => one.run === run)?.cells ?? {};
  return {
    cells: presentCells(cells, index, store.runs[place ?? -1]?.suite ?? ''),
    loss: distributionsLoss(text, row)?.message,
  };
}

function chooser(session: Session, cells: readonly string[], runs: readonly RunHistograms[]): readonly HTMLElement[] {
  const all = [...session.history().store.series.values()];
  const select = element(
    'select',
    { id: 'latency-cell' },
    cells.map((cell) => element('option', { value: cell }, [cellLabel(cell, all)])),
  );
  const place = element('div');
  const draw = () => {
    const curves = runs.map((one) => latencyCurve(one[select.value] ?? ''));
    place.replaceChildren(...drawn(cellLabel(select.value, all), curves));
  };
  const { cell } = session.state();
  select.value = cell !== undefined && cells.includes(cell) ? cell : (cells[0] ?? '');
  select.addEventListener('change', () => {
    session.change({ cell: select.value });
    draw();
  });
  requestAnimationFrame(draw);
  const title = element('h3', {}, ['Latency by percentile']);
  return [title, element('div', { class: 'controls' }, [element('label', {}, ['Cell ', select])]), place];
}

/** Label of a cell: the series of its service have the load of its tier. */
function cellLabel(cell: string, all: readonly Series[]): string {
  const [service = '', operation = '', tier = ''] = cell.split('/');
  const own = all.filter((one) => one.service === service);
  return [serviceLabel(service), operationLabel(operation), sharedTierLabel(tier, own)].join(', ');
}

const NAMES = ['from', 'to'];

const TABLE_SHARES = [0.5, 0.9, 0.99, 0.999, 0.9999];

function drawn(title: string, curves: readonly LatencyCurve[]): readonly HTMLElement[] {
  const area = element('div', {
    class: 'plot',
    role: 'img',
    'aria-label': `Latency by percentile of ${title}, both runs; see the table below for the figures`,
  });
  const key = element(
    'ul',
    { class: 'key' },
    NAMES.map((name, index) => {
      const item = element('li', {}, []);
      item.append(swatch(index, index === 0 ? [] : [7, 3]), name);
      return item;
    }),
  );
  const rows = TABLE_SHARES.map((share) =>
    tableRow(
      `p${Number((share * 100).toFixed(2))}`,
      curves.map((curve) => latencyText(curve, share)),
    ),
  );
  requestAnimationFrame(() => drawIn(area, curves));
  return [key, area, scrollTable(`Latency by percentile, ${title}`, ['', ...NAMES], rows)];
}

/** Draws curves as wide as their area, in the colors of the page, and again when either changes. */
function drawIn(area: HTMLElement, curves: readonly LatencyCurve[]): void {
  const figures: uPlot.AlignedData = [[...NINES], ...curves.map(({ ms }) => [...ms])];
  let plot = new uPlot(options(area.clientWidth), figures, area);
  new ResizeObserver(() => plot.setSize(sizeOf(area.clientWidth))).observe(area);
  onColorChange(area, () => {
    plot.destroy();
    plot = new uPlot(options(area.clientWidth), figures, area);
  });
}

function sizeOf(width: number) {
  return { width: Math.max(200, width), height: 280 };
}

function latencyText(curve: LatencyCurve, share: number): string {
  const value = curve.at(share);
  return value === undefined ? NO_FIGURE : formatMs(value);
}

function options(width: number): uPlot.Options {
  const { faint, line, services } = pageColors();
  const look = { stroke: faint, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  return {
    ...sizeOf(width),
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false },
      y: { distr: 3, range: (_plot, low, high) => [...logarithmicRange(low ?? 1, high ?? 10)] },
    },
    axes: [
      {
        ...look,
        splits: [0, 1, 2, 3, 4, 5],
        values: (_plot, splits) => splits.map((nines) => `p${percentileText(nines)}`),
      },
      {
        ...look,
        size: 70,
        splits: (plot) => [...logarithmicTicks(...endsOf(plot))],
        filter: (_plot, splits) => splits,
        values: (_plot, splits) => splits.map(formatMs),
      },
    ],
    series: [
      {},
      ...services
        .slice(0, 2)
        .map((stroke, index) => ({ stroke, width: 2, dash: index === 0 ? [] : [7, 3], points: { show: false } })),
    ],
  };
}
