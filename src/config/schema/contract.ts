import type { z } from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import type { Contract } from '../../model/contract.ts';
import { contentAt, type ReadFile } from '../files.ts';
import type { proto } from './grpc-schema.ts';

/** Gives the text of every `.proto` file below a folder, by its path relative to that folder. */
export type ProtoTexts = (root: string) => Readonly<Record<string, string>>;

/** A service in its file, and what reads the files that its contract is in. */
export interface ContractPlace {
  /** For messages: where a key of `proto` stands. */
  readonly at: (...steps: readonly string[]) => string;
  readonly protoTexts: ProtoTexts;
  readonly readFile: ReadFile;
}

/** A contract with its files read. Throws ConfigError with file and line where one is not there. */
export function contractOf(found: z.output<typeof proto>, { at, protoTexts, readFile }: ContractPlace): Contract {
  if ('reflection' in found) {
    return found;
  }
  if ('descriptorSet' in found) {
    const { base64 } = contentAt(found.descriptorSet, at('descriptorSet'), readFile);
    return { descriptorSet: base64, origin: found.descriptorSet };
  }
  // As with protoc, the first folder that has a file wins.
  const texts: Readonly<Record<string, string>> = Object.assign({}, ...found.root.map(protoTexts).reverse());
  if (!Object.hasOwn(texts, found.file)) {
    const tried = found.root.map((root) => `${root}/${found.file}`).join(', nor ');
    throw new ConfigError(`${at('file')}: there is no ${tried}`, {
      next: 'Give the path of the .proto file relative to proto.root.',
    });
  }
  return { root: found.root.join(', '), file: found.file, texts };
}
