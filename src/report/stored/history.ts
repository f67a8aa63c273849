import { counted } from '../../foundation/numbers.ts';
import { cleanText, shortCommit } from '../../foundation/text.ts';
import { doubtTexts } from '../../history/change-points/doubts.ts';
import { seriesFigure, seriesShift } from '../../history/feed.ts';
import type { HistoryChange } from '../../history/store/changes.ts';
import type { HistoryEntry, Series } from '../../history/store/entry.ts';
import { formatMetric, isMetric, METRICS } from '../../model/metric.ts';
import { type Block, heading, list, type Table } from '../document.ts';
import type { Paint } from '../render/lines.ts';
import { terminalOf } from '../render/terminal.ts';
import type { Fact } from '../views/facts.ts';

const LONGEST_NAME = 60;

/** Runs as a table for a terminal, in the order given. */
export function historyList(entries: readonly HistoryEntry[], paint: Paint): string {
  const runs = table('Runs', [
    ['run', 'measured (UTC)', 'suite', 'kind', 'commit', 'from', 'outcome', 'figures', 'subject'],
    ...entries.map((entry) => [
      entry.run,
      entry.at.slice(0, '2026-11-21T10:00'.length).replace('T', ' '),
      cleanText(entry.suite, LONGEST_NAME),
      entry.kind,
      shortCommit(cleanText(entry.commit?.sha ?? '-')),
      cleanText(entry.pullRequest === undefined ? (entry.branch ?? '-') : `#${entry.pullRequest}`, LONGEST_NAME),
      entry.outcome ?? '-',
      String(entry.values.filter((value) => value !== null).length),
      cleanText([...entry.tags.map((tag) => `[${tag}]`), entry.commit?.subject ?? ''].join(' '), 50),
    ]),
  ]);
  return shown([runs], paint);
}

/** Run for a terminal: its facts, every metric with its spread, and the changes that begin with it. */
export function historyRun(entry: HistoryEntry, changes: readonly HistoryChange[], paint: Paint): string {
  const { series, values, spreads, verdicts } = entry;
  const figures = series.flatMap((one, place) => {
    const value = values[place] ?? null;
    const spread = spreads[place] ?? null;
    const said = verdicts.filter((verdict) => verdict.series === place).map(({ verdict }) => verdict);
    const row = [
      cleanText(`${one.service}/${one.operation}/${one.tier}`, LONGEST_NAME),
      cleanText(one.metric, LONGEST_NAME),
      value === null ? '-' : figureText(one, value),
      spread === null ? '-' : `± ${(100 * spread).toPrecision(2)}%`,
      said.length === 0 ? '-' : said.join(', '),
    ];
    return value === null ? [] : [row];
  });
  const all = table('Figures', [['cell', 'metric', 'median', 'spread', 'verdict'], ...figures]);
  return shown([{ kind: 'facts', facts: entryFacts(entry) }, all, ...changeBlocks(changes)], paint);
}

function changeBlocks(changes: readonly HistoryChange[]): readonly Block[] {
  const rows = changes.map((change) => {
    const { series, before, after, pending, runsAfter } = change;
    const figures = [before, after].map((value) => cleanText(seriesFigure(value, series), LONGEST_NAME));
    return [
      cleanText(`${series.service}/${series.operation}/${series.tier}`, LONGEST_NAME),
      cleanText(series.metric, LONGEST_NAME),
      figures.join(' to '),
      seriesShift(change),
      pending ? `pending: ${counted(runsAfter, 'run')}` : counted(runsAfter, 'run'),
    ];
  });
  return [
    heading('Changes that start with this run'),
    table('Changes', [['cell', 'metric', 'median', 'change', 'since'], ...rows]),
    list([...new Set(changes.flatMap(doubtTexts))]),
  ];
}

function figureText({ metric, unit }: Series, value: number): string {
  return isMetric(metric) && METRICS[metric].unit === unit
    ? formatMetric(metric, value)
    : `${Number(value.toPrecision(4))} ${cleanText(unit, LONGEST_NAME)}`;
}

function entryFacts(entry: HistoryEntry): readonly Fact[] {
  const { run, at, suite, kind, commit, branch, tags, runner, settings, tools, rounds, links } = entry;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['run', run],
    ['measured', `${at}, ${counted(rounds, 'round')}`],
    ['suite', `${suite} (${kind})`],
    [
      'commit',
      commit && [commit.sha, ...(commit.dirty === true ? ['with changes'] : []), commit.subject ?? ''].join(' '),
    ],
    ['branch', branch],
    ['tags', tags.join(', ') || undefined],
    ['runner', runner && runnerText(runner)],
    ['settings', settings && `${settings.runtime}, ${settings.profile}`],
    [
      'tools',
      Object.entries(tools)
        .map(([tool, version]) => `${tool} ${version}`)
        .join(', ') || undefined,
    ],
    ['job', links.run],
    ['report', links.report],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function runnerText({ cpuModel, cores, kernel, platform, image }: NonNullable<HistoryEntry['runner']>): string {
  return [cpuModel, `${cores} cores`, kernel, platform, ...(image === undefined ? [] : [image])].join(', ');
}

function table(caption: string, [[first = '', ...heads] = [], ...rows]: readonly (readonly string[])[]): Table {
  return {
    kind: 'table',
    caption,
    columns: [first, ...heads.map((text) => ({ text, isText: true }))],
    rows: rows.map(([head = '', ...cells]) => ({ head, cells })),
  };
}

function shown(summary: readonly Block[], paint: Paint): string {
  return terminalOf({ title: '', facts: [], summary, sections: [] }, paint);
}
