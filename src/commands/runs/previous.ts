import { existsSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { KnownError } from '../../foundation/index.ts';
import { makeFolder, type OutputFolder, onDisk, outputFolder, remarkLog, type Telling } from '../../host/index.ts';
import { RUN_FILE } from '../../measure/index.ts';
import { CHARTS_FOLDER, type Judgement } from '../../report/index.ts';
import { tellingRoutes } from '../init/routes/told-routes.ts';
import { lastCompleteText, type WrittenReports, writeReports } from './report.ts';
import { readRunFile } from './run-files.ts';

/** In an output folder: the last complete run, as long as what lies in the folder itself is not complete. */
export const PREVIOUS_FOLDER = 'previous';

/** All that a run or a comparison leaves in its output folder. */
const LEFT_BEHIND = [RUN_FILE, 'report.md', 'report.html', 'junit.xml', CHARTS_FOLDER];

/**
 * The output folder of a command that measures. Before its first file is written, a complete run that lies there is moved to `previous`,
 * where it stays if this one is interrupted or fails. Throws EnvironmentError as `outputFolder` does.
 */
export async function outputOfRun(out: string): Promise<OutputFolder> {
  const output = await outputFolder(out);
  let whenFree: Promise<void> | undefined;
  return {
    async write(name, text) {
      whenFree ??= setAside(out);
      await whenFree;
      return await output.write(name, text);
    },
  };
}

/** Measures into an output folder; if that fails, a line says where the last complete run is. The error of a service that answers nothing but 404 names its routes. */
export async function measuredInto<Result>(
  { out, json }: Pick<Telling, 'json'> & { readonly out: string },
  measure: () => Promise<Result>,
): Promise<Result> {
  try {
    return await tellingRoutes(measure);
  } catch (thrown) {
    const previous = previousRun(out);
    if (previous !== undefined) {
      remarkLog({ json })(lastCompleteText(previous));
    }
    throw thrown;
  }
}

/** The reports of what was measured. A complete run takes the place of the last one that was; any other names it. */
export async function writeMeasured(judgement: Judgement, out: string): Promise<WrittenReports> {
  const written = await writeReports(judgement, out);
  if (!judgement.run.complete) {
    return { ...written, previous: previousRun(out) };
  }
  const previous = join(out, PREVIOUS_FOLDER);
  await onDisk(previous, () => withoutPrevious(previous));
  return written;
}

/** The folder with the last complete run; undefined if there is none but what lies in the output folder itself. */
export function previousRun(out: string): string | undefined {
  const previous = join(out, PREVIOUS_FOLDER);
  return existsSync(join(previous, RUN_FILE)) ? previous : undefined;
}

async function setAside(out: string): Promise<void> {
  if (!isComplete(join(out, RUN_FILE))) {
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

/** What cannot be read is lost to its user already. */
function isComplete(file: string): boolean {
  try {
    return existsSync(file) && readRunFile(file).complete;
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return false;
    }
    throw thrown;
  }
}

/** Files that no run left stay, and the folder with them. */
async function withoutPrevious(previous: string): Promise<void> {
  if (!existsSync(previous)) {
    return;
  }
  for (const name of LEFT_BEHIND) {
    await rm(join(previous, name), { recursive: true, force: true });
  }
  await rmdir(previous).catch((thrown: unknown) => {
    const isFull = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTEMPTY';
    if (!isFull) {
      throw thrown;
    }
  });
}
