import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROTOCOL_NAMES, PROTOCOL_TITLES } from '../../src/model/index.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

const about = { name: z.string(), title: z.string(), protocol: z.enum(PROTOCOL_NAMES) };

const program = z.object({
  port: z.number(),
  entry: z.boolean().default(false),
  image: z.object({ args: z.record(z.string(), z.string()).default({}) }),
});

const manifestSchema = z.union([
  z.object({ ...about, ...program.shape }),
  z.object({ ...about, members: z.record(z.string(), program) }),
]);

/** The document with a table of the services that have a `service.yml` below the folder. Throws ZodError for one that lacks a key. */
export function withServiceTable(text: string, folder = 'services'): string {
  const rows = readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name, 'service.yml'))
    .filter((file) => existsSync(file))
    .map((file) => rowOf(manifestSchema.parse(parse(readFileSync(file, 'utf8')))));
  return withGenerated(
    text,
    'the services',
    table([['service', 'what it is', 'speaks', 'port', 'folder and program'], ...rows]),
  );
}

function rowOf(manifest: z.infer<typeof manifestSchema>): readonly string[] {
  const { name, title, protocol } = manifest;
  const programs = 'members' in manifest ? Object.values(manifest.members) : [manifest];
  const entry = programs.find((one) => one.entry) ?? programs[0];
  const { PACKAGE, GO_MODULE, RUST_PACKAGE } = entry?.image.args ?? {};
  const started = programs.map(({ image: { args } }) => args['MODULE'] ?? args['PROGRAM'] ?? 'its own image');
  return [
    `\`${name}\``,
    cell(title),
    PROTOCOL_TITLES[protocol],
    String(entry?.port ?? ''),
    `\`${PACKAGE ?? GO_MODULE ?? RUST_PACKAGE ?? name}\`: ${started.join(', ')}`,
  ];
}
