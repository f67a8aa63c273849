import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { STUDIES } from '../../../studies/index.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { onDisk, outputFolder, writeInto } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import { type OutputOptions, print } from '../../host/terminal/output.ts';
import { soakTrends } from '../../judge/counts/soak.ts';
import { exitCodeOfVersus, pairingsOf } from '../../judge/study/versus.ts';
import { judgeRun } from '../../judge/verdict/judge.ts';
import { isKneeRecord, type KneeRecord, parseKnees } from '../../measure/knee/record.ts';
import type { MeasureFlags } from '../../measure/session/runtime.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { isInRounds, isVersus, versusRun } from '../../model/run/comparison.ts';
import { parseRun } from '../../model/run/run.ts';
import { CHARTS_FOLDER, type ChartFile, chartsOf } from '../../report/charts/files.ts';
import { junitOf } from '../../report/comparison/junit.ts';
import type { Document } from '../../report/document.ts';
import { kneeDocument } from '../../report/knee/document.ts';
import { kneeSentence } from '../../report/knee/words.ts';
import { pageOf } from '../../report/page.ts';
import { htmlOf } from '../../report/render/html.ts';
import { markdownOf } from '../../report/render/markdown.ts';
import { briefTerminalOf, terminalOf } from '../../report/render/terminal.ts';
import type { Judgment, RunWithStored } from '../../report/views/judgment.ts';
import { resultData } from '../../report/views/notes.ts';
import { printResult, terminalPaint } from '../program/result.ts';
import { comparedWithStored } from './against.ts';

interface ReportFlags {
  readonly out: string;
  readonly against?: string;
  readonly json?: boolean;
}

/**
 * `wiregauge report`: writes the reports of an earlier run, and prints the terminal one; a comparison is judged by its own policy. Exit code 0 for
 * any verdict.
 */
export async function report(file: string, flags: ReportFlags): Promise<void> {
  const text = readText(file, 'Pass the run.json or saturate.json that Wiregauge wrote to its output folder.');
  if (isKneeRecord(text)) {
    if (flags.against !== undefined) {
      throw new ConfigError(`${file}: is a search for the highest rates, which cannot be compared with stored runs`, {
        code: 'WG-407',
        next: 'Omit --against.',
      });
    }
    await printKnees({ command: 'report', json: flags.json, file }, parseKnees(text, file), flags.out);
    return;
  }
  const run = parseRun(text, file);
  const judge = await comparedWithStored(flags.against, run.suite.name);
  const judgment = judgedByItself(judge(run));
  printReports({ command: 'report', json: flags.json, run: file }, await writeReports(judgment, flags.out));
}

/** Page of a judgment, with the parts of studies. */
export function judgmentPage(judgment: Judgment): Document {
  return pageOf(judgment, STUDIES);
}

export async function writeDocument(out: string, name: string, document: Document): Promise<readonly string[]> {
  const folder = await outputFolder(out);
  return [await folder.write(`${name}.md`, markdownOf(document)), await folder.write(`${name}.html`, htmlOf(document))];
}

/**
 * Writes `saturate.md` and `saturate.html`, and prints the rate that each service sustains. `file` is the saturate.json; `further` are further
 * fields of the document.
 */
export async function printKnees(
  { file, further, ...options }: OutputOptions & { readonly file: string; readonly further?: object },
  record: KneeRecord,
  out: string,
): Promise<void> {
  const document = kneeDocument(record);
  const reports = await writeDocument(out, 'saturate', document);
  const { complete, criteria } = record;
  const services = record.services.map(({ environment: _environment, ...service }) => ({
    ...service,
    says: kneeSentence(service),
  }));
  printResult(
    options,
    { complete, ...further, criteria, services, record: file, reports },
    `${terminalOf(document, terminalPaint())}\nreports: ${reports.join(', ')}\n`,
  );
}

/** Judgment of a run by its own policy: of the versions or services in its rounds. */
export function judgedByItself({ run, against }: RunWithStored): Judgment {
  const rounds = isInRounds(run) ? run : versusRun(run);
  return { run, against, compared: rounds && judgeRun(rounds) };
}

export interface WrittenReports {
  readonly judgment: Judgment;
  readonly page: Document;
  readonly reports: readonly string[];
  /** Folder with the last complete run, if this one is incomplete. */
  readonly previous?: string | undefined;
}

/** Result of a command that measures or merges; `written` is undefined if it ended before there was a run. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly written?: WrittenReports | undefined;
}

/** Writes `report.md` and `report.html`, and for a comparison `junit.xml` and the charts. */
export async function writeReports(judgment: Judgment, out: string): Promise<WrittenReports> {
  const page = judgmentPage(judgment);
  const files = await writeDocument(out, 'report', page);
  return { judgment, page, reports: [...files, ...(await comparisonFiles(out, judgment))] };
}

interface ReportOptions extends OutputOptions {
  /** Further fields of the JSON document. */
  readonly further?: object;
}

/** Prints the outcome of a command that measures in at most 20 lines, or with `--verbose` all tables. */
export function reportOutcome(
  { verbose, out, ...options }: ReportOptions & Pick<MeasureFlags, 'verbose' | 'out'>,
  written: WrittenReports,
): void {
  if (verbose === true || options.json === true) {
    printReports({ ...options, run: join(out, RUN_FILE) }, written);
    return;
  }
  const files = filesText(written, '; --verbose prints all tables');
  print(`${briefTerminalOf(written.page, terminalPaint())}\n${files}\n`);
}

/** Prints the terminal report and the paths of the others, and of the run.json. */
export function printReports(
  { run, further, ...options }: ReportOptions & { readonly run: string },
  written: WrittenReports,
): void {
  const { judgment, page, reports, previous } = written;
  printResult(
    options,
    { ...judgmentData(judgment), run, reports, previous, ...further },
    `${terminalOf(page, terminalPaint())}\n${filesText(written)}\n`,
  );
}

function filesText({ reports, previous }: WrittenReports, more = ''): string {
  const kept = previous === undefined ? '' : `\n${lastCompleteText(previous)}`;
  return `reports: ${reports.join(', ')}${more}${kept}`;
}

export function lastCompleteText(previous: string): string {
  return `last complete run: ${join(previous, 'report.html')}`;
}

/** Judgment as data: the verdicts of a comparison; of a single run its figures, without distributions and series. */
export function judgmentData({ run, against, compared }: Judgment): object {
  const trends = soakTrends(run);
  const figures = {
    complete: run.complete,
    samples: run.samples.map((sample) => ({
      cell: sample.cell,
      round: sample.round,
      ...(isInRounds(run) && { side: sample.side }),
      requests: sample.requests,
      values: sample.values,
      marks: sample.marks,
    })),
    failures: run.failures,
    ...(trends.length > 0 && { trends }),
  };
  // A comparison of services has no pass or regression.
  const ofServices = versusRun(run) && compared;
  return {
    ...(compared !== undefined && isInRounds(run) ? resultData(compared, run) : figures),
    ...(ofServices !== undefined && isInRounds(run) && { outcome: undefined, exitCode: exitCodeOfVersus(ofServices) }),
    ...(ofServices !== undefined && { pairings: pairingsOf(ofServices) }),
    ...(against !== undefined && { against }),
  };
}

/** Files for two versions; services against a reference have no thresholds. */
async function comparisonFiles(out: string, { run, compared }: Judgment): Promise<readonly string[]> {
  if (compared === undefined || !isInRounds(run) || isVersus(run)) {
    return [];
  }
  const junit = await writeInto(out, 'junit.xml', junitOf(compared, run));
  const charts = await writeCharts(out, chartsOf(run, compared));
  return charts === undefined ? [junit] : [junit, charts];
}

/**
 * Writes the charts below the output folder, deletes those of an earlier comparison, and returns the folder's path; undefined if there are none.
 * Throws EnvironmentError if files cannot be written there.
 */
async function writeCharts(out: string, charts: readonly ChartFile[]): Promise<string | undefined> {
  const path = join(out, CHARTS_FOLDER);
  if (charts.length === 0 && !existsSync(path)) {
    return undefined;
  }
  const folder = await outputFolder(path);
  const names = new Set(charts.map(({ name }) => name));
  const old = (await readdir(path)).filter((name) => name.endsWith('.svg') && !names.has(name));
  await onDisk(path, async () => await Promise.all(old.map(async (name) => await rm(join(path, name)))));
  for (const { name, svg } of charts) {
    await folder.write(name, svg);
  }
  return charts.length === 0 ? undefined : path;
}
