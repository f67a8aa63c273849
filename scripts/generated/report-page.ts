import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, transform } from 'esbuild';
import { CHART_PLOT, SERVICE_STYLES } from '../../src/report/charts/frame.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'site', 'report');

/** Style of a report's page; overrides for screens and paper come last. */
export async function pageStyle(): Promise<string> {
  const files = ['page.css', 'tables.css', 'charts.css', 'screens.css'];
  return (await Promise.all(files.map((file) => readFile(join(FOLDER, file), 'utf8')))).join('\n');
}

/** File with the style and the script of HTML reports, and the style of a chart's file. */
export async function reportPageFile(): Promise<string> {
  const script = await pageScript();
  const page = {
    style: await minified(await pageStyle()),
    script,
    scriptHash: `sha256-${createHash('sha256').update(script).digest('base64')}`,
    pictureStyle: await minified(await readFile(join(FOLDER, 'picture.css'), 'utf8')),
  };
  return `${JSON.stringify(page, null, 2)}\n`;
}

async function minified(style: string): Promise<string> {
  const { code } = await transform(style, { loader: 'css', minify: true, legalComments: 'none' });
  return code;
}

async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, 'page.ts')],
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['es2023', 'chrome111', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'warning',
    define: {
      PLOT_TOP: String(CHART_PLOT.top),
      PLOT_BOTTOM: String(CHART_PLOT.bottom),
      SERVICE_STYLES: String(SERVICE_STYLES),
    },
  });
  return outputFiles.map(({ text }) => text).join('');
}
