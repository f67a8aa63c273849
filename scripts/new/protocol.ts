import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROTOCOL_NAMES } from '../../src/model/service.ts';
import { type Kind, titleMistakes, titleOf } from './kind.ts';
import { filledTemplate } from './template.ts';

const NAME = /^[a-z][a-z0-9]{1,19}$/;

/** Other keys of an operation, and words that are not texts in YAML. */
const TAKEN: readonly string[] = ['name', 'from', 'weight', 'arguments', 'feed', 'verify', 'true', 'false', 'null'];

const TITLES = 'src/model/service.ts';
const TABLE = 'src/protocols/protocols.ts';
const REFERENCE = 'docs/config.md';

/** Protocol over HTTP: one folder below `src/protocols`, a line in two tables, and a section of the reference. */
export const protocol: Kind = {
  about: 'a protocol that sends JSON in a POST over HTTP, with its test: src/protocols/<name>',
  options: { title: ['<text>', 'what reports call it; default: made from the name'] },

  mistakes({ name, options }, root) {
    const isThere = ['', '.ts'].some((end) => existsSync(join(root, 'src/protocols', `${name}${end}`)));
    return [
      ...(NAME.test(name)
        ? []
        : [
            `${JSON.stringify(name)} is not a valid name of a protocol: write 2 to 20 lower-case letters and digits, starting with a letter`,
          ]),
      ...(TAKEN.includes(name) ? [`${name} has another meaning in configurations: choose another name`] : []),
      ...(isThere ? [`src/protocols/${name} already exists; protocols are ${PROTOCOL_NAMES.join(', ')}`] : []),
      ...titleMistakes(options),
    ];
  },

  make(wish, root) {
    const { name } = wish;
    const title = titleOf(wish);
    const type = name.slice(0, 1).toUpperCase() + name.slice(1);
    // The title comes last: it may contain any word of the template.
    const words = { SampleBinding: `${type}Binding`, sample: name, 'Sample title': title };
    const {
      'protocol.ts': source = '',
      'test.ts': test = '',
      'config.md': section = '',
    } = filledTemplate(root, 'protocol', words);
    const written = {
      [`src/protocols/${name}/${name}.ts`]: source,
      [`tests/unit/protocols/${name}/${name}.test.ts`]: test,
    };
    const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
    const changed = {
      [TITLES]: inserted(textOf(TITLES), /(PROTOCOL_TITLES = \{\n[^}]*)\}/, `$1  ${name}: '${title}',\n}`),
      [TABLE]: inserted(
        inserted(textOf(TABLE), /(PROTOCOLS = \{[^}]*?),?\s*\}/, `$1, ${name}: ${name}Protocol }`),
        /^/,
        `import { ${name}Protocol } from './${name}/${name}.ts';\n`,
      ),
      [REFERENCE]: inserted(textOf(REFERENCE), /(?=### Responses\n)/, section),
    };
    return {
      written,
      changed,
      // Sorts imports and breaks lines.
      commands: [['npx', '--no-install', 'biome', 'check', '--write', ...Object.keys(written), TITLES, TABLE]],
      next: [
        `npx vitest run --project unit tests/unit/protocols      its test, and those of every protocol`,
        'npm run readme && npm run build      schema, tables of keys, dist/',
        `Say in src/protocols/${name}/${name}.ts what a binding, a request and an answer are; and in docs/config.md.`,
      ],
    };
  },
};

/** Throws Error if the file no longer has the place. */
function inserted(text: string, place: RegExp, addition: string): string {
  if (!place.test(text)) {
    throw new Error(`there is no place for the protocol: ${place}`);
  }
  return text.replace(place, addition);
}
