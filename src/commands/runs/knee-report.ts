import { join } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import { outputFolder } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import type { OutputOptions } from '../../host/terminal/output.ts';
import { isKneeRecord, KNEE_FILE, type KneeRecord, parseKnees } from '../../measure/knee/record.ts';
import { kneeDocument } from '../../report/knee/document.ts';
import { kneeSentence } from '../../report/knee/words.ts';
import { htmlOf } from '../../report/render/html.ts';
import { markdownOf } from '../../report/render/markdown.ts';
import { terminalOf } from '../../report/render/terminal.ts';
import { printResult, terminalPaint } from '../program/result.ts';

/** File, and further data. */
export interface KneeOptions extends OutputOptions {
  /** The saturate.json. */
  readonly file: string;
  /** Further fields of the document, in addition to the record. */
  readonly beside?: object;
}

/** Leaves `saturate.md` and `saturate.html` in the folder, and prints the rate that each service sustains. */
export async function printKnees(
  { file, beside, ...options }: KneeOptions,
  record: KneeRecord,
  output: OutputFolder,
): Promise<void> {
  const document = kneeDocument(record);
  const reports = [
    await output.write('saturate.md', markdownOf(document)),
    await output.write('saturate.html', htmlOf(document)),
  ];
  const { complete, criteria } = record;
  const services = record.services.map(({ environment: _environment, ...service }) => ({
    ...service,
    says: kneeSentence(service),
  }));
  printResult(options, {
    text: () => `${terminalOf(document, terminalPaint())}\nreports: ${reports.join(', ')}\n`,
    data: () => ({ complete, ...beside, criteria, services, record: file, reports }),
  });
}

/** The path of what a search leaves in an output folder. */
export function kneeFileIn(out: string): string {
  return join(out, KNEE_FILE);
}

/** The record in a `saturate.json`; undefined for any other file. Throws ConfigError for one that cannot be read. */
export function readKnees(file: string): KneeRecord | undefined {
  const text = readText(file, 'Pass the run.json or saturate.json that Wiregauge wrote to its output folder.');
  return isKneeRecord(text) ? parseKnees(text, file) : undefined;
}

interface ReportWish {
  readonly out: string;
  readonly against?: string;
  readonly json?: boolean;
}

/** `wiregauge report saturate.json`: the reports of a search again. */
export async function reportKnees(file: string, record: KneeRecord, wish: ReportWish): Promise<number> {
  if (wish.against !== undefined) {
    throw new ConfigError(`${file}: is a search for the highest rates, which cannot be compared with stored runs`, {
      code: 'WG-407',
      next: 'Omit --against.',
    });
  }
  await printKnees({ command: 'report', json: wish.json, file }, record, await outputFolder(wish.out));
  return 0;
}
