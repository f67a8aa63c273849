/** The document with a section for each code of an error. */
export const CODES_FILE = 'docs/errors.md';

/** A section of the document: the description of a code. */
export interface CodeSection {
  /** Like WG-104. */
  readonly code: string;
  readonly title: string;
  /** A list in Markdown: the meaning if the title is not enough, an example and the fix. */
  readonly list: string;
}

/** The sections of the document, by its text, in their order. */
export function codeSections(markdown: string): readonly CodeSection[] {
  return [...markdown.matchAll(/^### (WG-\d+)\n\n\*\*(.*)\.\*\*\n\n((?:- .*\n)+)/gm)].map(
    ([, code = '', title = '', list = '']) => ({ code, title, list }),
  );
}

/** The page of a code, below the document's folder, from the repository's root: `docs/errors/wg-104.md`. The site alone has it. */
export function codePage(code: string): string {
  return CODES_FILE.replace(/\.md$/, `/${code.toLowerCase()}.md`);
}

/** The text of that page in Markdown. Links of the section lead to where they led. */
export function codePageText({ code, title, list }: CodeSection): string {
  const fromItsFolder = list.replace(
    /\]\((?![a-z]+:)([^)]*)\)/g,
    (_all, target: string) => `](../${target.replace(/^#/, 'errors.md#')})`,
  );
  return `# ${code}: ${title}\n\n${fromItsFolder}\n[All codes](../errors.md)\n`;
}
