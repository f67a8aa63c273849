import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineRoutes } from 'vitepress';
import { CODES_FILE, codePageText, codeSections } from '../../scripts/docs/error-codes.ts';

const DOCUMENT = join(import.meta.dirname, '../..', CODES_FILE);

/** A page of the site for each code of an error, out of its section. */
export default defineRoutes({
  watch: [DOCUMENT],
  paths: () =>
    codeSections(readFileSync(DOCUMENT, 'utf8')).map((section) => ({
      params: { code: section.code.toLowerCase() },
      content: codePageText(section),
    })),
  // There is no such file to edit, and no order in which one reads codes.
  transformPageData: ({ frontmatter }) => ({
    frontmatter: { ...frontmatter, editLink: false, prev: false, next: false },
  }),
});
