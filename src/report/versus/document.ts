import type { Run } from '../../model/run/run.ts';
import { type Block, type Document, list, methodSection, paragraph, type Section } from '../document.ts';
import { filtersOf } from '../views/about.ts';
import { placeTexts, startOf } from '../views/facts.ts';
import type { VersusView } from './view.ts';

/** Services against a reference: the claims first, then every figure. */
export function versusDocument(run: Run, view: VersusView): Document {
  return {
    title: `${view.reference === undefined ? 'Containers against plain processes' : `Services against ${view.reference}`}: ${run.suite.title}`,
    facts: [startOf(run), ...placeTexts(run)],
    summary: [...claimBlocks(view.claims), list(view.notes)],
    sections: [...figureSections(view), methodSection(view.facts)],
    filters: filtersOf(run, DIFFERENCES_ONLY),
    origin: run,
  };
}

/** What the choice of rows that show a clear difference is called. */
export const DIFFERENCES_ONLY = 'Clear differences only';

/** What a main job's report has of its rounds, besides the claims. */
export function roundSections(view: VersusView): readonly Section[] {
  const [first, ...others] = figureSections(view);
  return first === undefined ? [] : [{ ...first, blocks: [...first.blocks, list(view.notes)] }, ...others];
}

/** Sentences of which the first is the outcome. */
export function claimBlocks([first = '', ...others]: readonly string[]): readonly Block[] {
  return [paragraph(first, 'strong'), ...others.map((claim) => paragraph(claim))];
}

function figureSections(view: VersusView): readonly Section[] {
  const isFolded = view.pairings.length > 1;
  return [
    ...view.study.sections,
    { id: 'containers', title: 'What containers cost', blocks: [view.containers] },
    { id: 'ranking', title: 'Ranking', blocks: view.ranking === undefined ? [] : [view.ranking] },
    ...view.pairings.map((pairing, place) => ({
      id: `pairing-${place + 1}`,
      title: pairing.caption,
      blocks: [pairing],
      isFolded,
      kin: 'pairings',
    })),
    view.study.findings,
  ].filter(({ blocks }) => blocks.some((block) => block.kind !== 'table' || block.rows.length > 0));
}
