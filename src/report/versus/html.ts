import type { Run } from '../../model/index.ts';
import { bullets, type Html, html, type PageSection, sentence, table } from '../render/html.ts';
import type { StudyFindingRow } from '../run/studies.ts';
import { startOf } from '../views/facts.ts';
import type { PairingRow, PairingRows, VersusView } from './view.ts';

/** What stands on the page of services against a reference. */
interface VersusPage {
  readonly title: string;
  readonly facts: readonly string[];
  readonly summary: Html;
  readonly sections: readonly PageSection[];
}

/** Services against a reference as the parts of a page: the claims first, then every figure. */
export function versusPage(run: Run, view: VersusView): VersusPage {
  const { runner, runtime } = run;
  const facts = [startOf(run), `${runner.cores} cores, ${runner.cpuModel}`];
  return {
    title: `Services against ${view.reference}: ${run.suite.title}`,
    facts: [...facts, runtime.name === 'docker' ? 'containers' : 'plain processes'],
    summary: html`${view.claims.map((claim) => html`<p>${sentence(claim)}</p>`)}${bullets(view.notes)}`,
    sections: [...figureSections(view), methodSection(view)],
  };
}

/** What the page of a main job has of its rounds, besides the claims: sections before those of the slots, and one behind them. */
export function roundsOnPage(view: VersusView): Readonly<Record<'before' | 'after', readonly PageSection[]>> {
  const [first, ...others] = figureSections(view);
  const noted = first && { ...first, body: html`${bullets(view.notes)}${first.body}` };
  const method = { ...methodSection(view), id: 'rounds', title: 'How the rounds were measured' };
  return { before: noted === undefined ? [] : [noted, ...others], after: [method] };
}

function figureSections(view: VersusView): readonly PageSection[] {
  return [
    ...(view.ranking.length === 0 ? [] : [rankingSection(view)]),
    ...view.pairings.map((pairing, place) => pairingSection(view, pairing, place)),
    ...findingsSections(view.findings),
  ];
}

function rankingSection({ ranking }: VersusView): PageSection {
  const body = table({
    caption: 'Services by requests per CPU second',
    isCaptionQuiet: true,
    columns: ['', 'requests per CPU second, times [95 % interval]', 'requests/s at saturation'],
    rows: ranking.map(({ service, perCpuSecond, capacity }) => ({
      head: service,
      cells: [html`<td>${perCpuSecond}</td>`, html`<td>${capacity}</td>`],
    })),
  });
  return { id: 'ranking', title: 'Ranking', body };
}

function pairingSection({ reference }: VersusView, { title, other, rows }: PairingRows, place: number): PageSection {
  const verdict = { text: '', isText: true } as const;
  const body = table({
    caption: title,
    isCaptionQuiet: true,
    columns: ['', reference, other, 'times [95 % interval]', verdict, 'noise', 'rounds'],
    rows: rows.map((row) => ({ head: row.label, cells: cellsOf(row) })),
  });
  return { id: `pairing-${place + 1}`, title, body };
}

/** What the study found, and whether it holds here; none where it found nothing that could be tested. */
export function findingsSections(findings: readonly StudyFindingRow[]): readonly PageSection[] {
  return findings.length === 0 ? [] : [findingsSection(findings)];
}

function findingsSection(findings: readonly StudyFindingRow[]): PageSection {
  const body = table({
    caption: 'Each finding with what was measured for it',
    isCaptionQuiet: true,
    columns: [
      { text: 'the study found', isText: true },
      { text: 'here', isText: true },
      { text: 'by', isText: true },
    ],
    rows: findings.map(({ says, holding, figures }) => ({
      head: says,
      cells: [html`<td class="text">${holding}</td>`, html`<td class="text">${figures.join('; ')}</td>`],
    })),
  });
  return { id: 'findings', title: 'What the study found, tested here', body };
}

function cellsOf({ reference, other, ratio, standing, noise, rounds }: PairingRow): readonly Html[] {
  const colour = standing === 'better' || standing === 'worse' ? html` class="${standing}"` : undefined;
  return [
    ...[reference, other, ratio].map((text) => html`<td>${text}</td>`),
    html`<td class="text"><span${colour}>${standing}</span></td>`,
    html`<td>${noise}</td>`,
    html`<td>${rounds}</td>`,
  ];
}

function methodSection({ facts }: VersusView): PageSection {
  const items = facts.map(({ name, value }) => html`<dt>${name}</dt><dd>${sentence(value)}</dd>`);
  return { id: 'method', title: 'How it was measured', body: html`<dl>${items}</dl>` };
}
