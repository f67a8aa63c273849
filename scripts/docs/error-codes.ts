/** Document with a section for each error code. */
export const CODES_FILE = 'docs/errors.md';

/** Section of the document: the description of a code. */
export interface CodeSection {
  /** Like WG-104. */
  readonly code: string;
  readonly title: string;
  /** Markdown list: the meaning if the title is not enough, an example and the fix. */
  readonly list: string;
}

/** Sections of the document in order. */
export function codeSections(markdown: string): readonly CodeSection[] {
  return [...markdown.matchAll(/^### (WG-\d+)\n\n\*\*(.*)\.\*\*\n\n((?:- .*\n)+)/gm)].map(
    ([, code = '', title = '', list = '']) => ({ code, title, list }),
  );
}

/** Page of a code, below the document's folder, from the repository's root: `docs/errors/wg-104.md`. Only the site has it. */
export function codePage(code: string): string {
  return CODES_FILE.replace(/\.md$/, `/${code.toLowerCase()}.md`);
}

/** Markdown text of that page. Links of the section keep their targets. */
export function codePageText({ code, title, list }: CodeSection): string {
  const fromItsFolder = list.replace(
    /\]\((?![a-z]+:)([^)]*)\)/g,
    (_all, target: string) => `](../${target.replace(/^#/, 'errors.md#')})`,
  );
  return `# ${code}: ${title}\n\n${fromItsFolder}\n[All codes](../errors.md)\n`;
}
