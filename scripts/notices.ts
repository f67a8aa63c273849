import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { z } from 'zod';

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** Old packages name it differently, or only in their text. */
  license: z.string().optional(),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
  repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
});

type Manifest = z.infer<typeof manifestSchema>;

const HEAD = `Wiregauge is distributed with code of the packages below, as a part of the files in dist/. Each is under the license that follows
its name, or the last of several names. This file is made by \`npm run build\`.
`;

const RULE = '-'.repeat(80);

/** Names of all packages whose code a bundle contains, in order, with their licenses; equal texts are printed once. */
export function noticesOf(bundles: readonly Pick<Metafile, 'outputs'>[], root: string): string {
  const files = bundles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs)),
  );
  const paths = files.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const folders = [...new Set(paths.flatMap((path) => packageFolder(path) ?? []))];
  const notices = [...new Map(folders.map((folder) => noticeIn(join(root, folder))))].sort(([left], [right]) =>
    left < right ? -1 : 1,
  );
  // Many have exactly the same text.
  const texts = [...new Set(notices.map(([, text]) => text))];
  const namesOf = (text: string): string[] => notices.filter(([, own]) => own === text).map(([name]) => name);
  return [HEAD, ...texts.map((text) => `${RULE}\n${namesOf(text).join('\n')}\n\n${text}\n`)].join('\n');
}

/** Folder of a file's package; undefined for our own files. */
export function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

function noticeIn(folder: string): readonly [name: string, notice: string] {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  const text = texts.length > 0 ? texts.join('\n\n') : textFor(manifest);
  const { name, version, license } = manifest;
  return [`${name} ${version}${license === undefined ? '' : ` (${license})`}`, text];
}

/** Text for a package that ships none: its own metadata, and the standard text of its license. */
function textFor({ license, author, repository }: Manifest): string {
  const by = typeof author === 'string' ? author : author?.name;
  const at = typeof repository === 'string' ? repository : repository?.url;
  const said = [`license ${license ?? 'not named'}`, by && `author ${by}`, at && `source ${at}`].filter(Boolean);
  const usual = USUAL_TEXTS[license?.replace('MIT/X11', 'MIT') ?? ''];
  const copyright = by === undefined ? '' : `Copyright (c) ${by}\n\n`;
  const whole = usual === undefined ? '' : `\n\n${copyright}${usual}`;
  return `The package has no license text. Its own statement: ${said.join(', ')}.${whole}`;
}

const USUAL_TEXTS: Readonly<Record<string, string>> = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
};
