import type { Topic } from '../../src/commands/help/topics.ts';
import { CODES_FILE, codePage, codeSections } from '../docs/error-codes.ts';
import type { CodedMessage } from './messages.ts';

/** Place where a document defines words: each row of a table below a heading is a topic. */
interface Source {
  readonly kind: Topic['kind'];
  readonly file: string;
  /** Heading above the table; without one, every table counts whose first column has the name of the kind. */
  readonly heading?: string;
}

const SOURCES: readonly Source[] = [
  { kind: 'verdict', file: 'docs/statistics.md', heading: 'The verdict' },
  { kind: 'verdict', file: 'docs/statistics.md', heading: 'Against stored runs' },
  { kind: 'term', file: 'docs/statistics.md', heading: 'Coverage' },
  { kind: 'outcome', file: 'docs/cli.md', heading: 'Outcomes' },
  { kind: 'exit code', file: 'docs/cli.md', heading: 'Exit codes' },
  { kind: 'mark', file: 'docs/measurement.md', heading: 'Marks' },
  { kind: 'term', file: 'docs/glossary.md', heading: 'Glossary' },
  { kind: 'variable', file: 'docs/cli.md', heading: 'Environment variables' },
  { kind: 'message', file: 'docs/troubleshooting.md' },
];

/** File of topics for `wiregauge explain`, from the texts of the documents, with the messages of errors. Throws Error if a table is missing. */
export function topicsFile(read: (file: string) => string, messages: readonly CodedMessage[] = []): string {
  const topics = SOURCES.flatMap((source) => topicsIn(source, tablesOf(read(source.file))));
  return `${JSON.stringify({ topics: [...topics, ...codesIn(read(CODES_FILE))], messages }, null, 2)}\n`;
}

function codesIn(markdown: string): readonly Topic[] {
  return codeSections(markdown).map(({ code, title, list }) => ({
    kind: 'code',
    name: code,
    from: codePage(code),
    says: {
      title,
      ...Object.fromEntries(
        [...list.matchAll(/^- \*\*(.*?)\*\*: (.*)$/gm)].map(([, about = '', said = '']) => [
          about.toLowerCase(),
          plainText(said),
        ]),
      ),
    },
  }));
}

/** Table, with its heading row first. */
interface Table {
  readonly heading: string;
  readonly rows: readonly (readonly string[])[];
}

function topicsIn({ kind, file, heading }: Source, tables: readonly Table[]): readonly Topic[] {
  const meant = tables.filter((one) => (heading === undefined ? one.rows[0]?.[0] === kind : one.heading === heading));
  if (meant.length === 0) {
    throw new Error(`${file} has no table below "${heading ?? 'any heading'}"`);
  }
  return meant.flatMap((table) => {
    const [columns = [], ...rows] = table.rows;
    const from = `${file}#${table.heading.toLowerCase().replaceAll(' ', '-')}`;
    return rows.map(([name = '', ...cells]) => ({
      kind,
      name: plainText(name),
      from,
      says: Object.fromEntries(cells.map((cell, place) => [columns[place + 1] ?? '', plainText(cell)])),
    }));
  });
}

/** Tables of a document by the heading above them. */
function tablesOf(markdown: string): readonly Table[] {
  return markdown.split(/^#+ /m).flatMap((part) => {
    const heading = part.slice(0, part.indexOf('\n')).trim();
    return [...part.matchAll(/(?:^\|.*\|\n?)+/gm)].map(([table]) => ({ heading, rows: rowsOf(table) }));
  });
}

function rowsOf(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((row) => row.slice(1, -1).split(/(?<!\\)\|/))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('\\|', '|')))
    .filter(([first = '']) => !/^-+$/.test(first));
}

/** Text for a terminal: the words of links, and names without backticks. */
function plainText(cell: string): string {
  const text = cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return /^`[^`]*`$/.test(text) ? text.slice(1, -1) : text;
}
