import { z } from 'zod';
import { contentOf } from '../../src/config/yaml/lines.ts';
import { PROTOCOL_NAMES, PROTOCOL_TITLES } from '../../src/model/service.ts';
import { manifestOf, manifestsIn } from '../../src/project/manifests.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

const about = { name: z.string(), title: z.string(), protocol: z.enum(PROTOCOL_NAMES) };

const program = z.object({
  port: z.number(),
  entry: z.boolean().default(false),
  image: z.object({ args: z.record(z.string(), z.string()).default({}), dockerfile: z.string().default('') }),
});

const manifestSchema = z.union([
  z.object({ ...about, ...program.shape }),
  z.object({ ...about, members: z.record(z.string(), program) }),
]);

/** Row of the table; services that differ only in the last part of their names share one. */
interface Row {
  readonly names: readonly string[];
  readonly titles: readonly string[];
  readonly speaks: string;
  readonly port: string;
  readonly programs: string;
}

/** Contents of the files of each service in `services/`, by its name. */
export function manifestContents(root: string): Readonly<Record<string, unknown>> {
  const manifests = manifestsIn(root);
  const names = manifests.names.toSorted((left, right) => left.localeCompare(right, 'en', { numeric: true }));
  return Object.fromEntries(
    names.map((name) => {
      const { placed, text } = manifestOf(root, manifests, name);
      return [name, placed?.content ?? contentOf(text)];
    }),
  );
}

/** Document with a table of the services in `services/`. Throws ZodError for one that lacks a key. */
export function withServiceTable(text: string): string {
  const rows = Object.values(manifestContents('.')).map((content) => rowOf(manifestSchema.parse(content)));
  const families = new Map<string, Row>();
  for (const row of rows) {
    const key = [stemOf(row.names[0] ?? ''), row.speaks, row.port, row.programs].join(' ');
    const family = families.get(key);
    const { names = [], titles = [] } = family ?? {};
    families.set(key, { ...row, names: [...names, ...row.names], titles: [...titles, ...row.titles] });
  }
  const header = ['service', 'description', 'speaks', 'port', 'folder and programs'];
  return withGenerated(text, 'the services', table([header, ...[...families.values()].map(cellsOf)]));
}

/** Name without its number of connections or members; other names stay unchanged. */
function stemOf(name: string): string {
  return name.replace(/-(\d+|all|fresh)$/, '-');
}

function cellsOf({ names, titles, speaks, port, programs }: Row): readonly string[] {
  const [first = '', ...others] = names;
  const suffixes = others.map((name) => `\`${name.slice(stemOf(first).length - 1)}\``);
  return [[`\`${first}\``, ...suffixes].join(', '), cell(commonTitle(titles)), speaks, port, programs];
}

/** Common beginning and end of all titles, with an ellipsis for the difference. */
function commonTitle(titles: readonly string[]): string {
  const [first = [], ...others] = titles.map((title) => title.split(' '));
  const isShared = (word: string, at: number) => others.every((words) => words.at(at) === word);
  const start = first.findIndex((word, place) => !isShared(word, place));
  if (start < 0) {
    return first.join(' ');
  }
  const back = first.toReversed().findIndex((word, place) => !isShared(word, -1 - place));
  const end = back <= 0 ? [] : first.slice(Math.max(start, first.length - back));
  return [...first.slice(0, start), '…', ...end].join(' ');
}

function rowOf(manifest: z.infer<typeof manifestSchema>): Row {
  const { name, title, protocol } = manifest;
  const programs = 'members' in manifest ? Object.values(manifest.members) : [manifest];
  const entry = programs.find((one) => one.entry) ?? programs[0];
  const { args: { PACKAGE, GO_MODULE, RUST_PACKAGE } = {}, dockerfile = '' } = entry?.image ?? {};
  const [, folder = name] = /^services\/(.+)\/Dockerfile$/.exec(dockerfile) ?? [];
  const started = programs.map(({ image: { args } }) => args['MODULE'] ?? args['PROGRAM'] ?? 'its own image');
  return {
    names: [name],
    titles: [title],
    speaks: PROTOCOL_TITLES[protocol],
    port: String(entry?.port ?? ''),
    programs: `\`${PACKAGE ?? GO_MODULE ?? RUST_PACKAGE ?? folder}\`: ${[...new Set(started)].join(', ')}`,
  };
}
