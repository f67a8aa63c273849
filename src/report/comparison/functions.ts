import { cleanText, NO_FIGURE } from '../../foundation/index.ts';
import { type Finding, type GrownFunction, grownFunctions } from '../../judge/index.ts';
import { ALL_OPERATIONS } from '../../model/index.ts';
import { type Block, fold, paragraph, type TableRow } from '../document.ts';
import type { ComparisonView } from './view.ts';
import { MINUS, valueText } from './words.ts';

const METRIC = 'instructionsPerRequest';

/** Of each service whose instructions regressed, as a whole or in an operation: its functions that execute more, folded. */
export function functionBlocks({ run, result, labels }: ComparisonView): readonly Block[] {
  const counted = result.findings.filter(({ metric }) => metric === METRIC);
  const worse = new Set(counted.filter(({ verdict }) => verdict === 'regressed').map(({ cell }) => cell.service));
  const isWhole = ({ cell }: Finding) => cell.operation === ALL_OPERATIONS && worse.has(cell.service);
  return counted.filter(isWhole).flatMap((whole) => {
    const grown = run === undefined ? [] : grownFunctions(run, whole);
    return grown.length === 0 ? [] : [foldOf(labels.service(whole.cell.service), grown)];
  });
}

const NOTE =
  'Instructions for a request: of a function with all that it calls, but for calls that lead back to it, and “by itself” without them. What an interpreter runs is in the functions of the interpreter.';

/** Those of C++ and Rust can be much longer. */
const LONGEST_NAME = 80;

function foldOf(service: string, grown: readonly GrownFunction[]): Block {
  const title = `Functions of ${service} that execute more`;
  return fold(title, paragraph(NOTE, 'note'), {
    kind: 'table',
    caption: title,
    isCaptionQuiet: true,
    isList: true,
    columns: ['function', { text: 'file', isText: true }, 'base', 'head', 'more', 'more by itself'],
    rows: grown.map(rowOf),
  });
}

function rowOf({ name, object, base, head, more, moreSelf }: GrownFunction): TableRow {
  const [before, least] = base === undefined ? [NO_FIGURE, ' at least'] : [text(base), ''];
  return {
    head: cleanText(name, LONGEST_NAME),
    cells: [cleanText(object, LONGEST_NAME), before, text(head), `${signed(more)}${least}`, signed(moreSelf)],
  };
}

function text(instructions: number): string {
  return instructions === 0 ? '0' : valueText(METRIC, instructions);
}

function signed(instructions: number): string {
  return `${instructions < 0 ? MINUS : '+'}${text(Math.abs(instructions))}`;
}
