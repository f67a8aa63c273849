import { isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import type { ProtoSource, Service } from '../core/service.ts';
import type { Suite } from '../core/suite.ts';
import { serviceSchema, suiteSchema } from './schema.ts';

/** A configuration file's text and the path by which messages name it. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** The suite in a `suites/<name>.yml`; throws ConfigError with file, line and path of what is wrong. */
export function parseSuite(source: SourceText): Suite {
  const found = parseYaml(source, suiteSchema);
  const operations = found.operations.map(({ rest, grpc, ...operation }) => ({
    ...operation,
    kind: 'unary' as const,
    bindings: { ...(rest !== undefined && { rest }), ...(grpc !== undefined && { grpc }) },
  }));
  return { ...found, operations, published: found.published };
}

/**
 * The service in a `service.yml`; throws ConfigError with file, line and path of what is wrong.
 * `protoTexts` gives the text of every contract below a folder, by its path relative to that folder.
 */
export function parseService(source: SourceText, protoTexts: (root: string) => ProtoSource['texts']): Service {
  const found = parseYaml(source, serviceSchema);
  const proto = found.proto === undefined ? undefined : { ...found.proto, texts: protoTexts(found.proto.root) };
  if (found.protocol === 'grpc' && proto === undefined) {
    throw new ConfigError(
      `${source.file}: proto: is missing, and a gRPC service cannot be called without its contract`,
      {
        next: 'Add `proto: { root: proto, file: user/v1/user.proto }` with the paths of your contract.',
      },
    );
  }
  if (proto !== undefined && proto.texts[proto.file] === undefined) {
    throw new ConfigError(`${source.file}: proto.file: there is no ${proto.root}/${proto.file}`, {
      next: 'Give the path of the .proto file relative to proto.root.',
    });
  }
  return { ...found, image: { ...found.image, target: found.image.target }, proto };
}

function parseYaml<Schema extends z.ZodType>({ file, text }: SourceText, schema: Schema): z.output<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const broken = document.errors[0];
  if (broken !== undefined) {
    const line = lines.linePos(broken.pos[0]).line;
    throw new ConfigError(`${file}:${line}: is not valid YAML: ${broken.message.split('\n')[0] ?? ''}`, {
      next: 'Mend the line; the error often sits just before it.',
    });
  }
  const parsed = schema.safeParse(document.toJS());
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.map(String) ?? [];
    const offset = offsetOf(document, path);
    const place = offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
    throw new ConfigError(`${place}: ${path.join('.') || 'the file'}: ${issue?.message ?? 'is malformed'}`, {
      next: 'docs/extending.md shows every key of this file.',
    });
  }
  return parsed.data;
}

/** Where the innermost existing node of a path begins in the text. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly string[]): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(keysOf(path.slice(0, length)), true);
    if (isNode(node) && node.range) {
      return node.range[0];
    }
  }
  return undefined;
}

/** yaml looks array items up by number. */
function keysOf(path: readonly string[]): (string | number)[] {
  return path.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}
