import { escapeMarkdown } from '../../foundation/index.ts';
import { type MarkdownSection, markdownTable } from '../render/markdown.ts';
import type { StudyFindingRow } from '../run/studies.ts';
import type { PairingRows, VersusView } from './view.ts';

/** Services against a reference as parts of a Markdown report; the claims come first. */
export function versusSections(view: VersusView): readonly MarkdownSection[] {
  const [first = '', ...others] = view.claims.map((claim) => escapeMarkdown(claim, 1000));
  return [
    { title: undefined, lines: [`**${first}**`, ...others.flatMap((line) => ['', line])] },
    { title: undefined, lines: rankingLines(view) },
    { title: undefined, lines: noteLines(view) },
    ...view.pairings.map((pairing) => ({ title: pairing.title, lines: pairingLines(view, pairing) })),
    { title: undefined, lines: markdownFindingLines(view.findings) },
    { title: 'How it was measured', lines: factLines(view) },
  ];
}

/** What a main job's report has of its rounds, besides the claims: the figures first, and how they were measured. */
export function roundSections(view: VersusView): readonly MarkdownSection[] {
  const isOne = view.pairings.length === 1;
  const tables = view.pairings.map((pairing) => ({
    title: isOne ? undefined : pairing.title,
    lines: [
      ...(isOne ? [`${escapeMarkdown(pairing.title)}, in interleaved rounds:`, ''] : []),
      ...pairingLines(view, pairing),
    ],
  }));
  return [
    { title: undefined, lines: rankingLines(view) },
    ...tables,
    { title: undefined, lines: markdownFindingLines(view.findings) },
    { title: undefined, lines: noteLines(view) },
    { title: 'How the rounds were measured', lines: factLines(view) },
  ];
}

/** What the study found, and whether it holds here. */
export function markdownFindingLines(findings: readonly StudyFindingRow[]): readonly string[] {
  const rows = findings.map(({ says, holding, figures }) => [
    escapeMarkdown(says, 500),
    `**${holding}**`,
    escapeMarkdown(figures.join('; '), 1000),
  ]);
  return rows.length === 0 ? [] : markdownTable(['the study found', 'here', 'by'], rows);
}

function noteLines({ notes }: VersusView): readonly string[] {
  return notes.map((note) => `- ${escapeMarkdown(note, 1000)}`);
}

function factLines({ facts }: VersusView): readonly string[] {
  const rows = facts.map(({ name, value }) => [escapeMarkdown(name), escapeMarkdown(value, 1000)]);
  return markdownTable(['', ''], rows);
}

function rankingLines({ ranking }: VersusView): readonly string[] {
  const rows = ranking.map(({ service, perCpuSecond, capacity }) =>
    [service, perCpuSecond, capacity].map((text) => escapeMarkdown(text)),
  );
  const head = ['service', 'requests per CPU second, times \\[95 % interval\\]', 'requests/s at saturation'];
  return rows.length === 0 ? [] : markdownTable(head, rows, 1);
}

function pairingLines({ reference }: VersusView, { other, rows }: PairingRows): readonly string[] {
  const cells = rows.map((row) =>
    [row.label, row.reference, row.other, row.ratio, row.standing, row.noise, String(row.rounds)].map((text) =>
      escapeMarkdown(text),
    ),
  );
  const head = [
    '',
    escapeMarkdown(reference),
    escapeMarkdown(other),
    'times \\[95 % interval\\]',
    '',
    'noise',
    'rounds',
  ];
  return markdownTable(head, cells, 1);
}
