import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseYaml } from '../config/yaml/yaml.ts';
import { writeInto } from '../host/files/output.ts';
import { readText } from '../host/files/reader.ts';

/** File with the commit that the default branch is compared with. */
export const ANCHOR_FILE = '.wiregauge/anchor.yml';

const pinned = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.@/-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, dashes, underscores, slashes or @')
    .describe('The name of the anchor: a tag, or the beginning of the commit hash.'),
  commit: z.string().regex(/^[0-9a-f]{40,64}$/, 'must be the full hash of a commit'),
});

/** Commit that the default branch is compared with, and its name. */
export type PinnedAnchor = z.infer<typeof pinned>;

/** Anchor in the files of a repository; undefined without one. Throws ConfigError with the mistakes in the file. */
export function pinnedAnchor(root: string): PinnedAnchor | undefined {
  const path = join(root, ANCHOR_FILE);
  return existsSync(path)
    ? parseYaml(
        { file: ANCHOR_FILE, text: readText(path, 'Pin it again: `wiregauge baseline pin <ref>`.', { root }) },
        pinned,
      )
    : undefined;
}

/** Writes the anchor to the files of a repository. Throws ConfigError for an invalid name. */
export async function pinAnchor(root: string, { name, commit }: PinnedAnchor): Promise<void> {
  const text = `# The commit that pushes to the default branch are compared with: wiregauge baseline pin <ref>\nname: ${JSON.stringify(name)}\ncommit: ${JSON.stringify(commit)}\n`;
  parseYaml({ file: ANCHOR_FILE, text }, pinned);
  await writeInto(join(root, '.wiregauge'), 'anchor.yml', text);
}
