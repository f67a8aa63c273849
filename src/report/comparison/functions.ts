import { cleanText, NO_FIGURE } from '../../foundation/index.ts';
import { CHECKOUT, comparedCalls, type Finding, type GrownFunction, grownFunctions } from '../../judge/index.ts';
import { ALL_OPERATIONS, type RunInRounds } from '../../model/index.ts';
import { flameGraph } from '../charts/flame.ts';
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
    const service = labels.service(whole.cell.service);
    return run === undefined || grown.length === 0 ? [] : [foldOf(service, grown, flameBlocks(run, service, whole))];
  });
}

const NOTE =
  'Instructions for a request: of a function with all that it calls, and “by itself” without that. They are of a start of its own, in which Python executes about a tenth more, to tell its functions.';

const FLAME_NOTE =
  'The width of a function is what head executes in it and in all that it calls. Red executes more than in base, green less, and gray the same. Point at a function to see its figures. Functions that call nearly everything are left out, and so are those that only base executes.';

/** Who called whom, which only a page can show. */
function flameBlocks(run: RunInRounds, service: string, { cell, base }: Finding): readonly Block[] {
  const title = `Who calls what in ${service}, from the top down`;
  const graph = flameGraph({
    ...{ id: `flame-${cell.service}`, title, text, least: CHECKOUT * base },
    description: 'The table above has the functions that execute more, with their figures.',
    calls: comparedCalls(run, cell.service),
  });
  return graph === undefined
    ? []
    : [
        { kind: 'figures', charts: [graph], isWide: true },
        { ...paragraph(FLAME_NOTE, 'note'), only: ['html'] },
      ];
}

/** Those of C++ and Rust can be much longer. */
const LONGEST_NAME = 80;

function foldOf(service: string, grown: readonly GrownFunction[], flame: readonly Block[]): Block {
  const title = `Functions of ${service} that execute more`;
  const table: Block = {
    kind: 'table',
    caption: title,
    isCaptionQuiet: true,
    isList: true,
    columns: ['function', { text: 'file', isText: true }, 'base', 'head', 'more', 'more by itself'],
    rows: grown.map(rowOf),
  };
  return fold(title, paragraph(NOTE, 'note'), table, ...flame);
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
