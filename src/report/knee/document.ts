import type { KneeRecord } from '../../measure/knee/record.ts';
import { type Document, list, methodSection, paragraph, type Section, type Tone } from '../document.ts';
import { claimBlocks } from '../versus/document.ts';
import { placeTexts, startOf } from '../views/facts.ts';
import { kneeCharts } from './chart.ts';
import { type KneeRows, type StepRow, viewKnees } from './view.ts';

/** A search for knees: what each service holds, charts over the offered rate, then every step. */
export function kneeDocument(record: KneeRecord): Document {
  const { title, claims, services, facts } = viewKnees(record);
  return {
    title,
    facts: [startOf(record), ...placeTexts(record)],
    summary: claimBlocks(claims),
    sections: [chartSection(record), ...services.map(kneeSection), methodSection(facts)],
    origin: record,
  };
}

function chartSection(record: KneeRecord): Section {
  const note =
    'All operations together, latency counted from the scheduled time, on a logarithmic scale. Each mark is a step; the line connects the medians.';
  return {
    id: 'charts',
    title: 'Over the offered rate',
    blocks: [paragraph(note, 'note'), kneeCharts(record) ?? paragraph('No rate was tried.')],
    only: ['html'],
  };
}

function kneeSection({ name, notes, rows }: KneeRows, place: number): Section {
  return {
    id: `knee-${place + 1}`,
    title: name,
    blocks: [
      list(notes),
      {
        kind: 'table',
        caption: `Steps of ${name}, in order`,
        isCaptionQuiet: true,
        columns: ['offered', 'achieved', 'p50', 'p99', 'errors', 'core', { text: 'verdict', isText: true }],
        rows: rows.map((row) => ({
          head: row.load,
          cells: [
            row.achieved,
            row.p50,
            row.p99,
            row.errors,
            row.core,
            { text: row.verdict, tone: TONES[row.standing] },
          ],
        })),
      },
    ],
  };
}

const TONES: Partial<Readonly<Record<StepRow['standing'], Tone>>> = { held: 'better', 'not-held': 'worse' };
