import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROTOCOL_NAMES, PROTOCOL_TITLES } from '../../src/model/index.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

const manifestSchema = z.object({
  name: z.string(),
  title: z.string(),
  protocol: z.enum(PROTOCOL_NAMES),
  port: z.number(),
  image: z.object({ args: z.record(z.string(), z.string()).default({}) }),
});

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

function rowOf({ name, title, protocol, port, image: { args } }: z.infer<typeof manifestSchema>): readonly string[] {
  const folder = args['PACKAGE'] ?? args['GO_MODULE'] ?? name;
  const program = args['MODULE'] ?? args['PROGRAM'] ?? 'its own image';
  return [`\`${name}\``, cell(title), PROTOCOL_TITLES[protocol], String(port), `\`${folder}\`: ${program}`];
}
