import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildSite, withoutWebAssembly } from './build-site.ts';
import { noticesOf } from './notices.ts';

// Bundled CommonJS packages call require() and read __dirname, which an ES module does not have.
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as wiregaugeRequire } from 'node:module';",
  "import { fileURLToPath as wiregaugePath } from 'node:url';",
  'const require = wiregaugeRequire(import.meta.url);',
  "const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));",
].join('\n');

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/cli.ts', 'src/action.ts'],
  outdir: 'dist',
  bundle: true,
  // Shared code is in separate files, as is code that is loaded on demand.
  splitting: true,
  chunkNames: '[name]-[hash]',
  // A third of the size; functions and classes keep their names, so that stack traces are readable.
  minify: true,
  keepNames: true,
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  banner: { js: banner },
  // Optional native parts of ssh2, which dockerode uses only for engines over ssh and does not require.
  external: ['cpu-features', '*.node'],
  // THIRD-PARTY-NOTICES contains all of them.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  plugins: [withoutWebAssembly],
});
await chmod('dist/cli.js', 0o755);
await mkdir('dist/site');
const site = await buildSite('dist/site');
await writeFile('THIRD-PARTY-NOTICES', noticesOf([metafile, site.metafile], '.'));
