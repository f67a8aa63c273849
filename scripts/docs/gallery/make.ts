/** Makes the reports of the gallery from results stored in the repository: `npm run docs` does so before the site is built. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { benchmarkData } from './benchmark-data.ts';
import { GALLERY, type GalleryReport, MADE_IN, pageOf } from './reports.ts';

function makeReport(report: GalleryReport, folder: string): void {
  const stored = readFileSync(report.from);
  if (report.kind === 'history') {
    const file = join(folder, 'data.js');
    writeFileSync(file, benchmarkData(stored.toString('utf8')));
    wiregauge('history', 'import', file, '--format', 'github-action-benchmark', '--folder', join(MADE_IN, report.name));
    return;
  }
  const file = join(folder, 'run.json');
  writeFileSync(file, gunzipSync(stored));
  wiregauge('report', file, '--out', folder);
  copyFileSync(join(folder, 'report.html'), join(MADE_IN, pageOf(report)));
}

function wiregauge(...words: readonly string[]): void {
  execFileSync(process.execPath, ['dist/cli.js', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
}

rmSync(MADE_IN, { recursive: true, force: true });
mkdirSync(MADE_IN, { recursive: true });
for (const report of GALLERY) {
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    makeReport(report, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
