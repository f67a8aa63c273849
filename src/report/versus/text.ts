import { cleanText } from '../../foundation/index.ts';
import { fitted, type Paint, wrapped } from '../render/terminal.ts';
import type { StudyFindingRow } from '../run/studies.ts';
import type { PairingRow, PairingRows, VersusView } from './view.ts';

/** Services against a reference for a terminal, at most 100 columns; the claims come first. */
export function versusText(view: VersusView, paint: Paint): string {
  const claims = view.claims.flatMap((claim) => wrapped(cleanText(claim, 400), '  ')).map(paint.strong);
  return `${[claims, ...roundParts(view, paint)]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** The figures of services against a reference, without the claims, as parts of which some may be empty. */
export function roundParts(view: VersusView, paint: Paint): readonly (readonly string[])[] {
  return [
    view.ranking.length === 0 ? [] : [paint.strong(rankLine(RANK_HEAD)), ...view.ranking.map(rankLine)],
    ...view.pairings.map((pairing) => pairingLines(view, pairing, paint)),
    terminalFindingLines(view.findings, paint),
    view.notes.flatMap((note) => wrapped(`- ${cleanText(note, 600)}`, '  ')),
  ];
}

/** What the study found, and whether it holds here. */
export function terminalFindingLines(findings: readonly StudyFindingRow[], paint: Paint): readonly string[] {
  const lines = findings.flatMap(({ says, holding, figures }) => [
    ...wrapped(cleanText(`${says}: ${holding}`, 600), '  '),
    ...figures.flatMap((figure) => wrapped(`  ${cleanText(figure, 400)}`, '    ')),
  ]);
  return lines.length === 0 ? [] : [paint.strong('What the study found, tested here'), ...lines];
}

const RANK_HEAD = { service: '', perCpuSecond: 'requests per CPU second', capacity: 'requests/s at saturation' };

function rankLine({ service, perCpuSecond, capacity }: VersusView['ranking'][number]): string {
  const label = fitted(cleanText(service, 80), 32, 'left');
  return `${label}${fitted(perCpuSecond, 32, 'left')}${fitted(capacity, 32, 'left')}`.trimEnd();
}

function pairingLines({ reference }: VersusView, { title, other, rows }: PairingRows, paint: Paint): readonly string[] {
  const head = {
    label: '',
    reference: ` ${cleanText(reference, 80)}`,
    other: ` ${cleanText(other, 80)}`,
    ratio: 'times [95 %]',
    standing: '',
    noise: 'noise',
    rounds: 'n',
  };
  return [
    ...wrapped(cleanText(title, 200), '  ').map(paint.strong),
    paint.strong(tableLine(head, paint.strong)),
    ...rows.flatMap((row) => rowLines(row, paint)),
  ];
}

const LABEL = 30;

function rowLines(row: PairingRow, paint: Paint): readonly string[] {
  const colour =
    COLOURS[row.standing] === undefined ? (text: string) => text : paint[COLOURS[row.standing] ?? 'strong'];
  const label = cleanText(row.label, 200);
  const isLong = [...label].length > LABEL;
  const line = tableLine({ ...row, label: isLong ? '' : label, rounds: String(row.rounds) }, colour);
  return isLong ? [...wrapped(label, '    '), line] : [line];
}

const COLOURS: Readonly<Record<string, 'better' | 'worse' | undefined>> = { better: 'better', worse: 'worse' };

type Line = Readonly<Record<'label' | 'reference' | 'other' | 'ratio' | 'standing' | 'noise' | 'rounds', string>>;

function tableLine({ label, reference, other, ratio, standing, noise, rounds }: Line, paint: (text: string) => string) {
  return (
    fitted(label, LABEL, 'left') +
    fitted(reference, 11, 'right') +
    fitted(other, 11, 'right') +
    fitted(ratio, 22, 'right') +
    paint(fitted(`  ${standing}`, 17, 'left')) +
    fitted(noise, 7, 'left') +
    fitted(rounds, 2, 'right')
  ).trimEnd();
}
