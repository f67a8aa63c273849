import { CHANGES_PATH, histogramsPath, INDEX_PATH, pathOf } from '../src/history/store/segments.ts';
import type { History } from './history.ts';
import { MissingFile, type Source, textIfAny } from './source.ts';

/** ID of the element with the files of a saved copy. */
const FILES_ID = 'files';

/** Files within the page itself; undefined unless it is a saved copy. */
export function savedSource(): Source | undefined {
  const text = document.getElementById(FILES_ID)?.textContent;
  if (text === undefined || text === null) {
    return undefined;
  }
  const files = new Map<string, string>(Object.entries(JSON.parse(text)));
  return {
    kind: 'saved',
    async text(path) {
      const found = files.get(path);
      if (found === undefined) {
        throw new MissingFile(path);
      }
      return found;
    },
  };
}

/**
 * Page with all of its history as one HTML file, which opens from any disk without selecting a folder. Only its own content may run in it: its policy
 * names script and style by their hashes.
 */
export async function savedCopy(source: Source, { index }: History): Promise<Blob> {
  const segments = index.segments.flatMap(({ file }) => [pathOf(file), histogramsPath(file)]);
  const files = await Promise.all(
    [INDEX_PATH, CHANGES_PATH, ...segments].map(async (path) => [path, await textIfAny(source, path)] as const),
  );
  const [script, style] = await Promise.all(['page.js', 'page.css'].map((path) => source.text(path)));
  const policy = `default-src 'none'; script-src '${await hashOf(script)}'; style-src '${await hashOf(style)}'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
  // Prevents the files from ending the element that contains them.
  const json = JSON.stringify(Object.fromEntries(files)).replaceAll('<', '\\u003c');
  const parts = [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer"><title>Performance over time · Wiregauge</title><link rel="icon" href="data:,">',
    `<style>${style}</style></head><body><a class="skip" href="#main" data-skip>Skip to the results</a>`,
    '<header><h1>Performance over time</h1><ul class="facts" id="facts"></ul></header><main id="main" tabindex="-1"></main>',
    `<footer><p id="made">Wiregauge</p></footer><script type="application/json" id="${FILES_ID}">${json}</script>`,
    `<script>${script}</script></body></html>\n`,
  ];
  return new Blob(parts, { type: 'text/html' });
}

async function hashOf(text: string | undefined): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text ?? ''));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
