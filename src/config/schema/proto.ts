import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { path, sharedPath } from '../../foundation/names.ts';
import type { Contract } from '../../model/service.ts';
import { contentAt, type ServicePlace } from '../reader.ts';

const files = z
  .strictObject({
    root: z
      .union([sharedPath, z.array(sharedPath).min(1)])
      .optional()
      .describe(
        'The folder, or folders, that imports are relative to; the first that has a file wins. `../` may lead up to the root of the checkout.',
      ),
    file: path.optional().describe('The `.proto` file, relative to a root. Services in its imports are not found.'),
    descriptorSet: path
      .optional()
      .describe(
        'The output of `protoc --include_imports --descriptor_set_out` or `buf build -o`, with the services of all its files.',
      ),
  })
  .transform(({ root, file, descriptorSet }, context) => {
    if (descriptorSet !== undefined && root === undefined && file === undefined) {
      return { descriptorSet };
    }
    if (descriptorSet === undefined && root !== undefined && file !== undefined) {
      return { root: typeof root === 'string' ? [root] : root, file };
    }
    context.addIssue({ code: 'custom', message: 'must have `root` and `file`, or `descriptorSet`' });
    return z.NEVER;
  });

/** Contract of a service: `.proto` files, a descriptor set, or reflection. */
export const proto = z
  .union([z.literal('reflection').transform(() => ({ reflection: true as const })), files], {
    error: 'must be `reflection`, a map with `root` and `file`, or a map with `descriptorSet`',
  })
  .describe('The contract of a gRPC service, or of a REST service the one that defines `expect.message`.');

/** Contract with its files read. Throws ConfigError, with file and line, if one is missing. */
export function contractOf(
  found: z.output<typeof proto>,
  { at, reading: { protoTexts, readFile } }: ServicePlace,
): Contract {
  if ('reflection' in found) {
    return found;
  }
  if ('descriptorSet' in found) {
    const { base64 } = contentAt(found.descriptorSet, at('proto', 'descriptorSet'), readFile);
    return { descriptorSet: base64, origin: found.descriptorSet };
  }
  // As with protoc, the first folder that has a file wins.
  const texts: Readonly<Record<string, string>> = Object.assign({}, ...found.root.map(protoTexts).reverse());
  if (!Object.hasOwn(texts, found.file)) {
    const tried = found.root.map((root) => `${root}/${found.file}`).join(' or ');
    throw new ConfigError(`${at('proto', 'file')}: there is no ${tried}`, {
      code: 'WG-111',
      next: 'Set the path of the .proto file relative to proto.root.',
    });
  }
  return { root: found.root.join(', '), file: found.file, texts };
}
