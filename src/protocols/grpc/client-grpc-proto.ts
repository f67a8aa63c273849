import protobuf from 'protobufjs';
import { ConfigError, messageOf } from '../../foundation/errors.ts';
import { plainText } from '../../foundation/plain-text.ts';
import type { ProtoSource } from '../../model/contract.ts';

/**
 * What the `.proto` file of a service and its imports define. Throws ConfigError with file and line where one does not compile.
 */
export function textRoot(service: string, proto: ProtoSource): protobuf.Root {
  const root = new protobuf.Root();
  const added = new Set<string>();
  addFile({ service, proto, root, added }, proto.file);
  try {
    root.resolveAll();
    return root;
  } catch (cause) {
    throw brokenProto(service, placeOf(messageOf(cause), proto, added), cause);
  }
}

interface Compiling {
  readonly service: string;
  readonly proto: ProtoSource;
  readonly root: protobuf.Root;
  /** Paths of the files that were added, in their order. */
  readonly added: Set<string>;
}

function addFile(compiling: Compiling, path: string): void {
  const { service, proto, added } = compiling;
  if (added.has(path)) {
    return;
  }
  added.add(path);
  const nested = bundled(path)?.nested;
  if (nested !== undefined && nested !== null) {
    addBundled(compiling, path, nested);
    return;
  }
  for (const wanted of importsOf(compiling, path)) {
    if (textOf(proto, wanted) === undefined && bundled(wanted) === undefined) {
      const place = `${path}:${lineOf(textOf(proto, path) ?? '', wanted)}`;
      throw new ConfigError(`${service}: ${place}: imports ${wanted}, and ${proto.root} has no such file`, {
        next: 'Add the folder that it is relative to: `proto: { root: [proto, third_party], file: ... }`.',
      });
    }
    addFile(compiling, wanted);
  }
}

function importsOf({ service, proto, root, added }: Compiling, path: string): readonly string[] {
  const text = textOf(proto, path);
  if (text === undefined) {
    throw new ConfigError(`${service}: the contract ${path} is not in ${proto.root}`, {
      next: 'Give the path of the .proto file relative to `proto.root`.',
    });
  }
  try {
    naming(path);
    const { imports = [], weakImports = [] } = protobuf.parse(text, root, { keepCase: true });
    return [...imports, ...weakImports];
  } catch (cause) {
    // The parser asks the end of the text for its next word.
    if (cause instanceof TypeError) {
      throw brokenProto(service, `${path}:${text.split('\n').length}: ends in the middle`, cause);
    }
    const [, what = messageOf(cause), line] = /^(.*) \((?:.*, )?line (\d+)\)$/s.exec(messageOf(cause)) ?? [];
    const place = line === undefined ? placeOf(what, proto, added) : `${path}:${line}: ${what}`;
    throw brokenProto(service, place, cause);
  } finally {
    naming(null);
  }
}

/** A contract may define the same by itself. */
function addBundled({ service, root }: Compiling, path: string, nested: Parameters<protobuf.Root['addJSON']>[0]): void {
  try {
    root.addJSON(nested);
  } catch (cause) {
    throw brokenProto(service, `${path}: ${messageOf(cause)}`, cause);
  }
}

/** What every object has by nature is no file. */
function textOf({ texts }: ProtoSource, path: string): string | undefined {
  return Object.hasOwn(texts, path) ? texts[path] : undefined;
}

/** A file that comes with protobufjs. */
function bundled(path: string): protobuf.INamespace | undefined {
  return Object.hasOwn(protobuf.common, path) ? (protobuf.common.get(path) ?? undefined) : undefined;
}

/** The file that definitions come from, which protobufjs notes on each; its types do not know of it. */
function naming(path: string | null): void {
  Object.assign(protobuf.parse, { filename: path });
}

/** A complaint with the place of the name that it is about, the last file first: the others were fine until then. */
function placeOf(complaint: string, proto: ProtoSource, added: ReadonlySet<string>): string {
  const [, quoted, last] = /['"]([\w.]+)['"]|: \.?([\w.]+)$/.exec(complaint) ?? [];
  const name = quoted ?? last ?? '';
  const file = [...added].reverse().find((path) => name !== '' && lineOf(textOf(proto, path) ?? '', name) > 0);
  return file === undefined ? complaint : `${file}:${lineOf(textOf(proto, file) ?? '', name)}: ${complaint}`;
}

/** The number of the first line that has a text; 0 where none has. */
function lineOf(text: string, part: string): number {
  const at = text.search(new RegExp(`(?<![\\w.])${part.replace(/[^\w]/g, '\\$&')}(?!\\w)`));
  return at < 0 ? 0 : text.slice(0, at).split('\n').length;
}

/** A complaint repeats what it is about. */
const LONGEST_PLACE = 500;

function brokenProto(service: string, place: string, cause: unknown): ConfigError {
  return new ConfigError(`${service}: the contract does not compile: ${plainText(place, LONGEST_PLACE)}`, {
    cause,
    next: 'Mend the .proto file; `protoc` or `buf build` tell the same.',
  });
}
