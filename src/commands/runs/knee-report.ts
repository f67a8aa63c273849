import { ConfigError } from '../../foundation/errors.ts';
import { type OutputFolder, outputFolder } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import type { OutputOptions } from '../../host/terminal/output.ts';
import { isKneeRecord, type KneeRecord, parseKnees } from '../../measure/knee/record.ts';
import { kneeDocument } from '../../report/knee/document.ts';
import { kneeSentence } from '../../report/knee/words.ts';
import { terminalOf } from '../../report/render/terminal.ts';
import { printResult, terminalPaint, writeDocument } from '../program/result.ts';

/**
 * Writes `saturate.md` and `saturate.html`, and prints the rate that each service sustains. `file` is the saturate.json; `further` are further
 * fields of the document.
 */
export async function printKnees(
  { file, further, ...options }: OutputOptions & { readonly file: string; readonly further?: object },
  record: KneeRecord,
  output: OutputFolder,
): Promise<void> {
  const document = kneeDocument(record);
  const reports = await writeDocument(output, 'saturate', document);
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

/** Record of a `saturate.json`; undefined for any other file. Throws ConfigError if it cannot be read. */
export function readKnees(file: string): KneeRecord | undefined {
  const text = readText(file, 'Pass the run.json or saturate.json that Wiregauge wrote to its output folder.');
  return isKneeRecord(text) ? parseKnees(text, file) : undefined;
}

/** `wiregauge report saturate.json`: writes the reports of a search again. */
export async function reportKnees(
  file: string,
  record: KneeRecord,
  { out, against, json }: { readonly out: string; readonly against?: string; readonly json?: boolean },
): Promise<number> {
  if (against !== undefined) {
    throw new ConfigError(`${file}: is a search for the highest rates, which cannot be compared with stored runs`, {
      code: 'WG-407',
      next: 'Omit --against.',
    });
  }
  await printKnees({ command: 'report', json, file }, record, await outputFolder(out));
  return 0;
}
