import type { Uncompared } from '../../judge/index.ts';
import { type Block, fold, paragraph } from '../document.ts';
import type { ComparisonView } from './view.ts';

const MOST_FOLDS = 3;

/** What the versions that failed printed, folded, with what to do about it; what several services have in common is there once. */
export function printedBlocks(view: ComparisonView): readonly Block[] {
  const failed = view.result.uncompared.filter(({ printed = '' }) => printed.trim() !== '');
  const first = failed.filter(({ printed }, place) => failed.findIndex((one) => one.printed === printed) === place);
  return first.slice(0, MOST_FOLDS).map((one) => foldOf(view, one));
}

function foldOf({ labels }: ComparisonView, { cell, reason, printed = '', next }: Uncompared): Block {
  const side = reason === 'base-failed' ? 'base' : 'head';
  const advice = next === undefined ? [] : [paragraph(next)];
  return fold(
    `What ${labels.service(cell.service)} printed in ${side}, the cause first`,
    { kind: 'printed', text: printed },
    ...advice,
  );
}
