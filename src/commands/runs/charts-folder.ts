import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk, outputFolder } from '../../host/files/output-folder.ts';
import { CHARTS_FOLDER, type ChartFile } from '../../report/charts/charts.ts';

/**
 * Leaves the charts below the output folder, without those of an earlier comparison, and gives the folder's path; undefined where
 * there are none. Throws EnvironmentError where files cannot be written there.
 */
export async function writeCharts(out: string, charts: readonly ChartFile[]): Promise<string | undefined> {
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
