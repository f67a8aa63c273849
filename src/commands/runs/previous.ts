import { existsSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, EnvironmentError, withFallback } from '../../foundation/errors.ts';
import { once } from '../../foundation/once.ts';
import { makeFolder, type OutputFolder, onDisk, outputFolder } from '../../host/files/output.ts';
import { interruptible } from '../../host/signals.ts';
import { type OutputOptions, print, printLine, remarkLog } from '../../host/terminal/output.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { CHARTS_FOLDER } from '../../report/charts/files.ts';
import { briefTerminalOf } from '../../report/render/terminal.ts';
import type { Judgment } from '../../report/views/judgment.ts';
import { withRouteAdvice } from '../measure/route-advice.ts';
import { terminalPaint } from '../program/result.ts';
import { type CommandEnd, judgmentPage, lastCompleteText, type WrittenReports, writeReports } from './report.ts';
import { readRunFile } from './run-files.ts';

/** Subfolder for the last complete run, as long as the run in the output folder is incomplete. */
export const PREVIOUS_FOLDER = 'previous';

/** Files that a run or a comparison writes. */
const LEFT_BEHIND = [RUN_FILE, 'report.md', 'report.html', 'junit.xml', CHARTS_FOLDER];

/** Output folder of a command that measures, and the signal that ends it. */
export interface Within {
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

/**
 * Runs a command that measures. After Ctrl-C, results so far are judged and kept. A complete run that is already in the folder moves to `previous`
 * before the first file is written; it stays there if this run is interrupted or fails, and a line names it. `end` prints the written reports and
 * returns the exit code.
 */
export async function measuring<Judged extends Judgment>(
  { out, json }: Pick<OutputOptions, 'json'> & { readonly out: string },
  measure: (within: Within) => Promise<Judged>,
  end: (judgment: Judged, written: WrittenReports, within: Within) => number | Promise<number>,
): Promise<CommandEnd> {
  const output = await outputOfRun(out);
  let written: WrittenReports | undefined;
  const exitCode = await interruptible(async (signal) => {
    const within = { output, signal };
    const judgment = await withRouteAdvice(() => measure(within)).catch((thrown: unknown) => {
      const previous = previousRun(out);
      if (previous !== undefined) {
        remarkLog({ json })(lastCompleteText(previous));
      }
      throw thrown;
    });
    written = await writeMeasured(judgment, { out, output, json });
    return await end(judgment, written, within);
  });
  return { exitCode, written };
}

interface RunOutput extends OutputFolder {
  /** Retries files that the disk did not accept. Throws EnvironmentError if that fails, too. */
  settle(): Promise<void>;
}

/** Output folder whose complete run is set aside before the first file is written. A full disk does not end a measurement. */
async function outputOfRun(out: string): Promise<RunOutput> {
  const output = await outputFolder(out);
  const lost = new Map<string, string>();
  const whenFree = once(() => setAside(out));
  return {
    async write(name, text) {
      await whenFree();
      try {
        const path = await output.write(name, text);
        lost.delete(name);
        return path;
      } catch (thrown) {
        if (!(thrown instanceof EnvironmentError)) {
          throw thrown;
        }
        if (lost.size === 0) {
          printLine(`${thrown.message}: the measurement goes on, and prints its outcome at the end`, 'err');
        }
        lost.set(name, text);
        return join(out, name);
      }
    },
    async settle() {
      for (const [name, text] of lost) {
        await output.write(name, text);
        lost.delete(name);
      }
    },
  };
}

/**
 * Writes the reports. A complete run replaces the last complete one; an incomplete one names it. If the disk is full, the outcome is printed before
 * the EnvironmentError is thrown.
 */
async function writeMeasured(
  judgment: Judgment,
  { out, output, json }: { readonly out: string; readonly output: RunOutput; readonly json?: boolean | undefined },
): Promise<WrittenReports> {
  try {
    await output.settle();
    const written = await writeReports(judgment, out);
    if (!judgment.run.complete) {
      return { ...written, previous: previousRun(out) };
    }
    const previous = join(out, PREVIOUS_FOLDER);
    await onDisk(previous, () => withoutPrevious(previous));
    return written;
  } catch (thrown) {
    if (thrown instanceof EnvironmentError && json !== true) {
      print(`${briefTerminalOf(judgmentPage(judgment), terminalPaint())}\n`);
    }
    throw thrown;
  }
}

/** Folder with the last complete run; undefined if only the output folder itself has one. */
export function previousRun(out: string): string | undefined {
  const previous = join(out, PREVIOUS_FOLDER);
  return existsSync(join(previous, RUN_FILE)) ? previous : undefined;
}

async function setAside(out: string): Promise<void> {
  const file = join(out, RUN_FILE);
  if ((await withFallback(() => existsSync(file) && readRunFile(file).complete)) !== true) {
    return;
  }
  const previous = join(out, PREVIOUS_FOLDER);
  await onDisk(previous, async () => {
    await makeFolder(previous);
    for (const name of LEFT_BEHIND) {
      await rm(join(previous, name), { recursive: true, force: true });
      if (existsSync(join(out, name))) {
        await rename(join(out, name), join(previous, name));
      }
    }
  });
}

/** Deletes the previous run; other files stay, and the folder with them. */
async function withoutPrevious(previous: string): Promise<void> {
  if (!existsSync(previous)) {
    return;
  }
  for (const name of LEFT_BEHIND) {
    await rm(join(previous, name), { recursive: true, force: true });
  }
  await rmdir(previous).catch((thrown: unknown) => {
    if (codeOf(thrown) !== 'ENOTEMPTY') {
      throw thrown;
    }
  });
}
