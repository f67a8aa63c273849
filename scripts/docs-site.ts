import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addressOn, DOCS, destinationOf, pageOf } from './docs-address.ts';
import { type DocsDocument, readDocument } from './docs-document.ts';
import { type DocsEntry, type DocsGroup, docsPage } from './docs-page.ts';
import { contentOf } from './docs-render.ts';

/** What screens and paper change comes last. */
const STYLES = ['docs-text.css', 'docs-frame.css'];

/** Makes the site of the documents in `docs/` in a folder, anew; gives the paths of its pages there. Throws Error for a page that the index lacks. */
export async function buildDocs(folder: string): Promise<readonly string[]> {
  const files = (await readdir(DOCS, { recursive: true })).map((path) => `${DOCS}/${path}`).sort();
  const documents = new Map<string, DocsDocument>();
  for (const file of files.filter((path) => path.endsWith('.md'))) {
    documents.set(file, readDocument(await readFile(file, 'utf8')));
  }
  const groups = groupsOf(documents);
  await rm(folder, { recursive: true, force: true });
  for (const file of files.filter((path) => /\.(png|svg)$/.test(path))) {
    await copyFile(file, await placeIn(folder, file));
  }
  const styles = STYLES.map((name) => readFile(join(import.meta.dirname, name), 'utf8'));
  await writeFile(await placeIn(folder, `${DOCS}/docs.css`), (await Promise.all(styles)).join(''));
  const pages: string[] = [];
  for (const [file, document] of documents) {
    const content = contentOf(document, (target) => addressOn(file, target));
    const page = await placeIn(folder, pageOf(file));
    await writeFile(page, docsPage({ file, title: document.title, headings: document.headings, content }, groups));
    pages.push(pageOf(file).slice(DOCS.length + 1));
  }
  return pages;
}

async function placeIn(folder: string, file: string): Promise<string> {
  const place = join(folder, file.slice(DOCS.length + 1));
  await mkdir(dirname(place), { recursive: true });
  return place;
}

/** The groups of pages: what the index links to in the lists below its headings. */
function groupsOf(documents: ReadonlyMap<string, DocsDocument>): readonly DocsGroup[] {
  const index = `${DOCS}/index.md`;
  const { headings = [], links = [] } = documents.get(index) ?? {};
  const listed = new Map<string, string>();
  for (const { target, line } of links) {
    const destination = destinationOf(target, index);
    const group = headings.findLast((heading) => heading.level === 2 && heading.line < line)?.text;
    if (destination.kind === 'file' && group !== undefined && !listed.has(destination.path)) {
      listed.set(destination.path, group);
    }
  }
  const missing = [...documents.keys()].filter((file) => file !== index && !listed.has(file));
  if (missing.length > 0) {
    throw new Error(`${index} does not list ${missing.join(', ')}`);
  }
  return [...new Set(listed.values())].map((title) => ({ title, pages: entriesIn(title, { listed, documents }) }));
}

interface Listing {
  readonly listed: ReadonlyMap<string, string>;
  readonly documents: ReadonlyMap<string, DocsDocument>;
}

function entriesIn(group: string, { listed, documents }: Listing): readonly DocsEntry[] {
  return [...listed].flatMap(([file, title]) => {
    const document = title === group ? documents.get(file) : undefined;
    return document === undefined ? [] : [{ file, title: document.title }];
  });
}
