import fc from 'fast-check';
import { type Documents, type Edit, editedText, place, textEdits } from './edits-text.ts';

interface TreeEdit extends Edit {
  readonly value: unknown;
}

const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    [],
    {},
    [[[]]],
    '__proto__',
    '\u0000',
    'x'.repeat(3000),
    '2026-11-21T10:00:00.000Z',
  ),
  fc.constantFrom<unknown>(0, -1, 0.5, 1e308, 5e-324, 2 ** 53, -(2 ** 31), 4096),
  fc.jsonValue({ maxDepth: 3 }),
);

const treeEdit: fc.Arbitrary<TreeEdit> = fc.record({
  kind: fc.constantFrom('replace', 'delete', 'rename', 'double', 'nest', 'move'),
  at: place,
  length: place,
  value: oddValue,
});

/** A place in a tree of lists and maps. */
interface Branch {
  readonly parent: object;
  readonly key: string;
}

function branchesOf(value: unknown): readonly Branch[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => [{ parent: value, key }, ...branchesOf(inner)]);
}

/** Changes the tree that it is given. */
function editTree(root: object, { kind, at, length: other, value }: TreeEdit): void {
  const branches = branchesOf(root);
  const branch = branches[at % branches.length];
  if (branch === undefined) {
    return;
  }
  const { parent, key } = branch;
  const own: unknown = Reflect.get(parent, key);
  const name = nameFor(parent, typeof value === 'string' ? value.slice(0, 40) : `${other}`);
  const from = branches[other % branches.length] ?? branch;
  switch (kind) {
    case 'delete':
      Reflect.deleteProperty(parent, key);
      return;
    case 'rename':
      Reflect.deleteProperty(parent, key);
      define(parent, name, own);
      return;
    case 'double':
      define(parent, name, structuredClone(own));
      return;
    case 'nest':
      define(parent, key, [own]);
      return;
    case 'move':
      define(parent, key, structuredClone(Reflect.get(from.parent, from.key)));
      return;
    default:
      // A later change must not be one of what was given to be put here.
      define(parent, key, structuredClone(value));
  }
}

/** A number far behind the end of a list would fill all between with nothing. */
function nameFor(parent: object, name: string): string {
  return Array.isArray(parent) ? `${parent.length}` : name;
}

/** As JSON.parse does, whatever the name: `__proto__` is one, too. */
function define(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Valid documents of JSON, changed in some of their values, and then maybe as texts. */
export function changedJson(seeds: readonly string[]): Documents<string> {
  const trees = fc.array(treeEdit, { maxLength: 3 });
  const texts = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: textEdits });
  const changed: Documents<string>['changed'] = (all) =>
    fc.tuple(fc.constantFrom(...all), trees, texts).map(([seed, edits, ofText]) => {
      const root = treeIn(seed);
      for (const edit of root === undefined ? [] : edits) {
        editTree(root ?? {}, edit);
      }
      return ofText.reduce(editedText, root === undefined ? seed : (JSON.stringify(root.document) ?? ''));
    });
  return { seeds, fromFile: String, changed };
}

/** What was found may be no JSON. */
function treeIn(text: string): { readonly document: unknown } | undefined {
  try {
    return { document: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
