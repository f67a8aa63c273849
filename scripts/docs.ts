import { buildDocs } from './docs-site.ts';

// Makes the site of the documents; build/ is no part of the repository.
const pages = await buildDocs('build/docs');
console.log(`build/docs: ${pages.length} pages; open build/docs/index.html`);
