import { createHash } from 'node:crypto';
import { defineConfig } from 'vitepress';
import packageFile from '../../package.json' with { type: 'json' };
import { brokenLinks, siteDocuments } from '../../scripts/docs/links.ts';
import { sidebar } from '../../scripts/docs/sidebar.ts';
import { addReports } from './gallery.ts';
import { AS_ON_GITHUB } from './markdown.ts';

const GITHUB = packageFile.homepage.replace(/#.*/, '');

const documents = siteDocuments();
const broken = [...documents.keys()].flatMap((file) => brokenLinks(file));
if (broken.length > 0) {
  throw new Error(`Links lead nowhere:\n${broken.join('\n')}`);
}

/** The page with a policy: scripts and data come from the site alone. The scripts inside the page are named by their hashes. */
function withPolicy(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]+?)<\/script>/g)];
  const hashes = inline.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const rules = [
    "default-src 'self'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    // The highlighter writes its colors into style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return html.replace(
    '<head>',
    `<head>\n    <meta http-equiv="Content-Security-Policy" content="${rules.join('; ')}">`,
  );
}

export default defineConfig({
  title: 'Wiregauge',
  description: packageFile.description,
  lang: 'en-US',
  outDir: '../build/docs',
  cacheDir: '../build/docs-cache',
  // The site works in any folder of any server.
  base: './',
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['meta', { name: 'referrer', content: 'no-referrer' }],
  ],
  markdown: AS_ON_GITHUB,
  themeConfig: {
    sidebar: sidebar(documents),
    sidebarMenuLabel: 'All pages',
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Gallery', link: '/gallery' },
      { text: packageFile.version, link: `${GITHUB}/blob/main/CHANGELOG.md` },
    ],
    socialLinks: [{ icon: 'github', link: GITHUB }],
    editLink: { pattern: `${GITHUB}/edit/main/docs/:path`, text: 'Edit this page' },
    notFound: { quote: 'There is no such page. The search above may find it.', linkText: 'To the index' },
  },
  transformHtml: withPolicy,
  buildEnd: ({ outDir }) => addReports(outDir),
});
