import { ConfigError } from '../core/errors.ts';
import type { ProtoSource, Service } from '../core/service.ts';
import type { Suite } from '../core/suite.ts';
import { serviceSchema, suiteSchema } from './schema.ts';
import { parseYaml, type SourceText } from './yaml.ts';

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
