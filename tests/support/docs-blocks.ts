import { readdirSync, readFileSync } from 'node:fs';
import { readDocument } from '../../scripts/docs/document.ts';

/** A fenced block of a document, with what the comments right above it tell the tests. */
export interface DocsBlock {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The exit code that it ends with, if that is not 0. */
  readonly exits: number;
  /** A text that it prints. */
  readonly prints: string | undefined;
  /** Why it cannot be run here. */
  readonly notRun: string | undefined;
  /** The file that it is the content of. */
  readonly writes: string | undefined;
  /** The file that says the same by now. */
  readonly like: string | undefined;
}

const NOTE = /^<!-- (exits|prints|not run|file|like)\b:? (.*?)-->$/;

/** Comments that are for others. */
const OTHER = /^<!-- (?:end|more about|the |action\.yml)/;

/** The fenced blocks of a document. Throws Error for a comment above one that says nothing known. */
export function blocksOf(file: string, text: string = readFileSync(file, 'utf8')): readonly DocsBlock[] {
  const { tokens } = readDocument(text);
  return tokens.flatMap((token, place) => {
    if (token.type !== 'fence') {
      return [];
    }
    const above = tokens.slice(0, place);
    const comments = above.slice(above.findLastIndex(({ type }) => type !== 'html_block') + 1);
    const notes = new Map(comments.flatMap(({ content }) => notesIn(file, content.trim())));
    const line = (token.map?.[0] ?? 0) + 1;
    return [{ file, line, language: token.info.trim(), text: token.content, ...known(notes) }];
  });
}

function notesIn(file: string, comment: string): readonly (readonly [string, string])[] {
  const parts = comment.replace(/^<!-- | -->$/g, '').split('; ');
  return parts.flatMap((part) => {
    const [, name = '', value = ''] = NOTE.exec(`<!-- ${part} -->`) ?? [];
    if (name === '' && !OTHER.test(comment)) {
      throw new Error(`${file}: "${comment}" says nothing that a test knows`);
    }
    return name === '' ? [] : [[name, value.trim()] as const];
  });
}

function known(notes: ReadonlyMap<string, string>) {
  return {
    exits: Number(notes.get('exits') ?? 0),
    prints: notes.get('prints'),
    notRun: notes.get('not run'),
    writes: notes.get('file'),
    like: notes.get('like'),
  };
}

/** The guides, which can be followed. */
export function guides(): readonly string[] {
  return readdirSync('docs/how-to')
    .map((name) => `docs/how-to/${name}`)
    .sort();
}

/** Every document for users, with what is in the examples. */
export function documents(): readonly string[] {
  const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path}`);
  const inExamples = readdirSync('examples', { recursive: true, encoding: 'utf8' }).map((path) => `examples/${path}`);
  const found = [...inDocs, ...inExamples.filter((path) => /^examples\/([^/]+\/)?README\.md$/.test(path))];
  return ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...found.filter((path) => path.endsWith('.md')).sort()];
}
