import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import {
  GALLERY,
  GALLERY_PAGE,
  type GalleryReport,
  MADE_IN,
  ON_SITE,
  pageOf,
} from '../../scripts/docs/gallery/reports.ts';
import { DOCS } from '../../scripts/docs/links.ts';

type Renderer = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Puts the way to each report behind the first paragraph of its section; nothing if none were made. */
export function showReports(md: Renderer): void {
  md.core.ruler.push('gallery', (state) => {
    if (`${DOCS}/${state.env['relativePath']}` !== GALLERY_PAGE) {
      return;
    }
    let next: GalleryReport | undefined;
    state.tokens = state.tokens.flatMap((token) => {
      if (token.type === 'heading_open') {
        next = GALLERY.find(({ name }) => name === token.attrGet('id'));
      }
      if (token.type !== 'paragraph_close' || next === undefined) {
        return [token];
      }
      const shown = new state.Token('html_block', '', 0);
      shown.content = shownReport(next);
      next = undefined;
      return [token, shown];
    });
  });
}

/** Only `target` keeps the site's own script from taking the report for one of its pages. */
function shownReport(report: GalleryReport): string {
  return existsSync(join(MADE_IN, pageOf(report)))
    ? `<p><a href="${ON_SITE}/${pageOf(report)}" target="_self">Open the whole report</a></p>\n`
    : '';
}

/** Puts the reports that were made into the site. */
export function addReports(outDir: string): void {
  if (existsSync(MADE_IN)) {
    cpSync(MADE_IN, join(outDir, ON_SITE), { recursive: true });
  }
}
