import { outputFolder } from '../adapters/output-folder.ts';
import type { Judgement } from '../core/judgement.ts';
import { chartsOf } from '../reports/charts.ts';
import { REPORTS } from '../reports/index.ts';
import { colouredTerminalReport } from '../reports/terminal.ts';
import { writeCharts } from './charts-folder.ts';
import { againstBaseline, readRun } from './read.ts';

export interface ReportFlags {
  readonly out: string;
  readonly against?: string;
}

/** `wiregauge report`: writes the reports of a run that was measured before, and prints the terminal one. */
export async function report(file: string, flags: ReportFlags): Promise<number> {
  const run = readRun(file);
  const judge = await againstBaseline({ against: flags.against, suite: run.suite.name });
  await writeReports(judge(run), flags.out);
  return 0;
}

/** Prints the terminal report and leaves `report.md`, `report.html` and the charts of a comparison in the folder. */
export async function writeReports(judgement: Judgement, out: string): Promise<void> {
  const folder = await outputFolder(out);
  const paths = [
    await folder.write('report.md', REPORTS.markdown(judgement)),
    await folder.write('report.html', REPORTS.html(judgement)),
    ...(await chartsIn(out, judgement)),
  ];
  const showsColour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  const terminal = showsColour ? colouredTerminalReport : REPORTS.terminal;
  process.stdout.write(`${terminal(judgement)}\nreports: ${paths.join(', ')}\n`);
}

async function chartsIn(out: string, { run, compared }: Judgement): Promise<readonly string[]> {
  const path = compared === undefined ? undefined : await writeCharts(out, chartsOf(run, compared));
  return path === undefined ? [] : [path];
}
