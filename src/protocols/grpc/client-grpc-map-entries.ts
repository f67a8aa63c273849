import descriptor from 'protobufjs/ext/descriptor/index.js';

interface Field {
  readonly name: string;
  typeName: string;
}

interface Message {
  name: string;
  readonly field: readonly Field[];
  readonly nestedType: readonly Message[];
  readonly options?: { readonly mapEntry?: boolean } | null;
}

/**
 * The encoded descriptor of a file whose maps have types of the name that protobuf wants. Services that load their contract with
 * protobufjs name them otherwise when they tell it, and the load tools refuse that.
 */
export function withMapEntries(bytes: Uint8Array): Uint8Array {
  const file = descriptor.FileDescriptorProto.decode(bytes);
  const { messageType } = file as unknown as { readonly messageType: readonly Message[] };
  const renamed = messageType.map(renameEntries).reduce((sum, count) => sum + count, 0);
  return renamed === 0 ? bytes : descriptor.FileDescriptorProto.encode(file).finish();
}

/** How many it renamed. */
function renameEntries(message: Message): number {
  let renamed = message.nestedType.map(renameEntries).reduce((sum, count) => sum + count, 0);
  for (const field of message.field) {
    const own = field.typeName.split('.').at(-1);
    const entry = message.nestedType.find(({ name, options }) => name === own && options?.mapEntry === true);
    const wanted = `${`_${field.name}`.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase())}Entry`;
    if (entry !== undefined && entry.name !== wanted) {
      field.typeName = `${field.typeName.slice(0, -entry.name.length)}${wanted}`;
      entry.name = wanted;
      renamed += 1;
    }
  }
  return renamed;
}
