import { formatCount } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { callFigures, grownCommands } from '../../judge/counts/need-calls.ts';
import { type Block, fold, paragraph } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import type { ComparisonView } from './view.ts';

const LONGEST_TEXT = 200;

const MOST_COMMANDS = 10;

const NOTE =
  'Queries per request, counted by a relay between the service and what it needs. Literals are left out, and so is what the service sends without a request.';

/** Commands that head sends more often than base to what it needs, for each operation; folded. */
export function queryBlocks({ run, labels }: ComparisonView): readonly Block[] {
  const { calls } = run ?? {};
  return run === undefined || calls === undefined
    ? []
    : callFigures(run, calls).flatMap(({ cell }) => {
        const grown = grownCommands(calls, cell);
        const title = `Queries of ${labels.operation(cell.operation)} (${labels.service(cell.service)}) that grew`;
        return grown.length === 0
          ? []
          : fold(title, paragraph(NOTE, 'note'), {
              kind: 'table',
              about: aboutOf(run, { services: [cell.service] }),
              caption: title,
              isCaptionQuiet: true,
              isList: true,
              columns: ['query', { text: 'need', isText: true }, 'base', 'head'],
              rows: grown.slice(0, MOST_COMMANDS).map(({ need, text, base, head }) => ({
                head: cleanText(text, LONGEST_TEXT),
                cells: [need, formatCount(base), formatCount(head)],
              })),
            });
      });
}
