import { counted, NO_FIGURE } from '../../src/foundation/numbers.ts';
import { wordList } from '../../src/foundation/text.ts';
import { boundsText, metricWord, timesText } from '../../src/report/comparison/words.ts';
import { type Cell, fold, paragraph, type Section, type Table, type TableRow } from '../../src/report/document.ts';
import type { Effect, LeadReading } from '../judge/effects.ts';
import type { EffectsView } from './effects.ts';

/** Result as a paragraph, then a table of all effects; one section per design. */
export function effectsSections(views: readonly EffectsView[]): readonly Section[] {
  return views.map((view, place) => {
    const conditional = conditionalTable(view);
    return {
      id: `effects-${place + 1}`,
      title: view.title,
      blocks: [
        // The lines at the end of a command already have the sentences.
        { ...paragraph([...view.sentences, ...view.notes].join(' ')), only: ['terminal', 'markdown', 'html'] },
        effectsTable(view),
        ...(conditional.rows.length === 0 ? [] : [fold('Each effect by the other factors', conditional)]),
      ],
    };
  });
}

function effectsTable({ labels, columns, contrasts }: EffectsView): Table {
  const [led] = columns.flatMap(({ lead }) => (lead === undefined ? [] : [lead]));
  const leadRow = (head: string, effectIn: (lead: LeadReading) => Effect | undefined): TableRow => ({
    group: led === undefined ? '' : `${labels.service(led.own)} against ${labels.service(led.against)}`,
    head,
    cells: columns.map(({ lead }) => effectCell(lead && effectIn(lead), 1)),
  });
  const parts = columns.find(({ lead }) => (lead?.parts.length ?? 0) > 0)?.lead?.parts ?? [];
  return {
    ...multiplesTable({ labels, columns }),
    isCaptioned: true,
    caption: 'Effect of each difference on a figure, as a multiple',
    groupHead: 'factor',
    rows: [
      ...parts.map(({ name, factors }) =>
        leadRow(`${name} (${wordList(factors)})`, (lead) => lead.parts.find((part) => part.name === name)?.effect),
      ),
      ...(led === undefined ? [] : [leadRow(parts.length === 0 ? 'total' : 'total (product)', ({ whole }) => whole)]),
      ...contrasts.map(({ factor, from, to, steps }) => ({
        group: factor,
        head: `${to} instead of ${from}`,
        cells: columns.map(({ effect }) => effectCell(effect(steps), steps.length)),
      })),
    ],
  };
}

function conditionalTable({ labels, columns, contrasts }: EffectsView): Table {
  return {
    ...multiplesTable({ labels, columns }),
    caption: 'Effect of each difference, by the other factors',
    groupHead: 'difference',
    rows: contrasts.flatMap(({ from, to, within }) =>
      within.map(({ level, steps }) => ({
        group: `${to} instead of ${from}`,
        head: `with ${level}`,
        cells: columns.map(({ effect }) => effectCell(effect(steps), steps.length)),
      })),
    ),
  };
}

function multiplesTable({ labels, columns }: Pick<EffectsView, 'labels' | 'columns'>) {
  return {
    kind: 'table' as const,
    detailNames: ['interval', 'measured'],
    columns: ['', ...columns.map(({ tier, metric }) => `${metricWord(metric)}, ${labels.tier(tier)}`)],
  };
}

/** With the number of measured pairs, if not all were. */
function effectCell(effect: Effect | undefined, pairs: number): Cell {
  if (effect === undefined) {
    return { text: NO_FIGURE, tone: 'faint' };
  }
  const { times, measured } = effect;
  const part = measured < pairs ? `${measured} of ${counted(pairs, 'pair')}` : '';
  return { text: timesText(times.times), details: [{ text: boundsText(times) }, { text: part }] };
}
