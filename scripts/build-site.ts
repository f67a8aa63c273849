import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildResult, build, type Plugin, transform } from 'esbuild';
import { pageStyle } from './generated/report-page.ts';

const SITE = join(import.meta.dirname, '..', 'site');

/** Builds the trend page in an existing folder: index.html, page.js, page.css. It has the report's style below its own. */
export async function buildSite(folder: string): Promise<BuildResult<{ metafile: true }>> {
  const styles = [
    await pageStyle(),
    await readFile(join(SITE, '..', 'node_modules/uplot/dist/uPlot.min.css'), 'utf8'),
    // Overrides for narrow screens and print come last.
    ...(await Promise.all(
      ['sections.css', 'chart.css', 'page.css', 'tables.css'].map((name) => readFile(join(SITE, name), 'utf8')),
    )),
  ];
  const style = await transform(styles.join('\n'), { loader: 'css', minify: true });
  await writeFile(join(folder, 'page.css'), style.code);
  await copyFile(join(SITE, 'index.html'), join(folder, 'index.html'));
  return build({
    entryPoints: [join(SITE, 'page.ts')],
    outfile: join(folder, 'page.js'),
    bundle: true,
    minify: true,
    // A classic script: browsers load no modules from a disk.
    format: 'iife',
    platform: 'browser',
    target: ['es2023', 'chrome111', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    mainFields: ['module', 'main'],
    plugins: [withoutWebAssembly, withoutEval],
  });
}

/** Uses the plain histograms, in the page and in the program; those of WebAssembly would be a fifth of the page. */
export const withoutWebAssembly: Plugin = {
  name: 'without-web-assembly',
  setup({ onLoad }) {
    onLoad({ filter: /hdr-histogram-js[\\/]dist[\\/]wasm[\\/]index\.js$/ }, () => ({
      contents: 'exports.webAssemblyAvailable = false; exports.WasmHistogram = class {};',
      loader: 'js',
    }));
  },
};

/** It would only use eval to look for Node's zlib, and the page's policy refuses it, with an error for every visitor. */
const withoutEval: Plugin = {
  name: 'without-eval',
  setup({ onLoad }) {
    onLoad({ filter: /hdr-histogram-js[\\/]dist[\\/]JsHistogram\.encoding\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(/eval\('require\("zlib"\)\.(deflate|inflate)Sync'\)/g, 'pako.$1'), loader: 'js' };
    });
  },
};
