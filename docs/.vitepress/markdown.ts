import { slug } from 'github-slugger';
import type { MarkdownOptions } from 'vitepress';
import { addressOnSite, DOCS } from '../../scripts/docs/links.ts';
import { showReports } from './gallery.ts';

type Renderer = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** A document is read as GitHub reads it: with the same anchors, and what GitHub shows as plain text stays plain text. */
export const AS_ON_GITHUB: MarkdownOptions = {
  anchor: { slugify: slug },
  attrs: false,
  emoji: false,
  toc: false,
  snippet: false,
  include: false,
  eagerFrontmatterInterpolation: false,
  config: (md) => {
    leadOutside(md);
    keepBraces(md);
    showReports(md);
  },
};

/** Links to files that are no pages lead to GitHub. */
function leadOutside(md: Renderer): void {
  md.core.ruler.push('links-on-site', ({ tokens, env }) => {
    for (const part of tokens.flatMap(({ children }) => children ?? [])) {
      const target = part.attrGet('href');
      if (target !== null) {
        part.attrSet('href', addressOnSite(String(target), `${DOCS}/${env['relativePath']}`));
      }
    }
  });
}

/** Pages are Vue templates, and expressions of workflows look like those of Vue. */
function keepBraces(md: Renderer): void {
  for (const name of ['text', 'code_inline']) {
    const render = md.renderer.rules[name];
    if (render !== undefined) {
      md.renderer.rules[name] = (...all) => String(render(...all)).replaceAll('{{', '&#123;&#123;');
    }
  }
}
