import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type ServerCredentials as Credentials,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadSync, type PackageDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { newIdentity } from '../support/certificates.ts';

/** One call of each kind; the messages lie in a file of their own, and one has a map. */
export const STREAM_TEXTS = {
  'streams/v1/streams.proto': `syntax = "proto3";
package streams.v1;
import "streams/v1/text.proto";
service Streams {
  rpc Echo(Text) returns (Text);
  rpc Download(Text) returns (stream Text);
  rpc Upload(stream Text) returns (Text);
  rpc Chat(stream Text) returns (stream Text);
}
`,
  'streams/v1/text.proto': `syntax = "proto3";
package streams.v1;
message Text { string text = 1; int32 count = 2; map<string, int32> by_name = 3; }
`,
};

export const STREAM_PROTO = { root: 'proto', file: 'streams/v1/streams.proto', texts: STREAM_TEXTS };

export interface StreamService extends AsyncDisposable {
  readonly address: string;
  /** Metadata of the last call. */
  readonly metadata: () => Metadata | undefined;
  /** Texts that came, call by call. */
  readonly heard: readonly (readonly string[])[];
  /** How often it was asked for its contract. */
  readonly reflections: () => number;
}

interface Text {
  readonly text: string;
  readonly count?: number;
  readonly by_name?: Readonly<Record<string, number>>;
}

interface Wanted {
  /** The own identity of the service, and whom of its clients it knows, where it asks for their certificate. */
  readonly tls?: { readonly own: ReturnType<typeof newIdentity>; readonly knows?: string };
  readonly reflection?: boolean;
}

const DEFINITION = definition();

/**
 * Echo gives its message back, Download gives it three times (without an end for "endless", none for "none"), Upload the texts
 * together, Chat each back; "refuse" is refused.
 */
export async function streamService({ tls, reflection }: Wanted = {}): Promise<StreamService> {
  const heard: (readonly string[])[] = [];
  let last: Metadata | undefined;
  const note = (call: { readonly metadata: Metadata }, texts: readonly string[]): void => {
    last = call.metadata;
    heard.push(texts);
  };
  const server = new Server();
  server.addService(DEFINITION['streams.v1.Streams'] as ServiceDefinition, handlers(note));
  let reflections = 0;
  if (reflection === true) {
    new ReflectionService(DEFINITION).addToServer(countingServer(server, () => (reflections += 1)));
  }
  const port = await bound(server, credentialsOf(tls));
  return {
    address: `127.0.0.1:${port}`,
    metadata: () => last,
    heard,
    reflections: () => reflections,
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
    },
  };
}

type Note = (call: { readonly metadata: Metadata }, texts: readonly string[]) => void;

function handlers(note: Note) {
  return {
    Echo(call: ServerUnaryCall<Text, Text>, reply: sendUnaryData<Text>) {
      note(call, [call.request.text]);
      if (call.request.text === 'refuse') {
        reply({ code: status.INVALID_ARGUMENT, details: 'no' });
      } else if (call.request.text !== 'never') {
        reply(null, call.request);
      }
    },
    Download(call: ServerWritableStream<Text, Text>) {
      note(call, [call.request.text]);
      const count = { none: 0, endless: 20_000 }[call.request.text] ?? 3;
      for (let index = 0; index < count; index += 1) {
        call.write({ ...call.request, count: index });
      }
      call.end();
    },
    Upload(call: ServerReadableStream<Text, Text>, reply: sendUnaryData<Text>) {
      const texts: string[] = [];
      call.on('data', ({ text }: Text) => texts.push(text));
      call.on('end', () => {
        note(call, texts);
        reply(texts.includes('refuse') ? { code: status.INVALID_ARGUMENT } : null, { text: texts.join('') });
      });
    },
    Chat(call: ServerDuplexStream<Text, Text>) {
      const texts: string[] = [];
      call.on('data', (message: Text) => {
        texts.push(message.text);
        call.write(message);
      });
      call.on('end', () => {
        note(call, texts);
        call.end();
      });
    },
  };
}

/** The server, with its reflection calls counted. */
function countingServer(server: Server, count: () => void): Server {
  return Object.assign(Object.create(server), {
    addService(service: ServiceDefinition, implementation: Record<string, (call: unknown) => void>) {
      const counted = Object.entries(implementation).map(([name, handle]) => [
        name,
        (call: unknown) => {
          count();
          handle.call(implementation, call);
        },
      ]);
      server.addService(service, Object.fromEntries(counted));
    },
  });
}

function credentialsOf(tls: Wanted['tls']): Credentials {
  if (tls === undefined) {
    return ServerCredentials.createInsecure();
  }
  const pair = { private_key: Buffer.from(tls.own.key), cert_chain: Buffer.from(tls.own.certificate) };
  const known = tls.knows === undefined ? null : Buffer.from(tls.knows);
  return ServerCredentials.createSsl(known, [pair], known !== null);
}

async function bound(server: Server, credentials: Credentials): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}

function definition(): PackageDefinition {
  const folder = mkdtempSync(join(tmpdir(), 'wiregauge-streams-'));
  const file = join(folder, 'streams.proto');
  const [service, messages] = Object.values(STREAM_TEXTS);
  writeFileSync(file, `${service?.replace(/import.*;/, '')}${messages?.replace(/^.*\n.*\n/, '')}`);
  try {
    return loadSync(file, { keepCase: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The contract as a descriptor set, in base64, by buf. */
export function streamSet(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wiregauge-set-'));
  try {
    for (const [path, text] of Object.entries(STREAM_TEXTS)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const output = join(folder, 'set.binpb');
    execFileSync(join(process.cwd(), 'node_modules/.bin/buf'), [
      'build',
      folder,
      '--as-file-descriptor-set',
      '-o',
      output,
    ]);
    return readFileSync(output).toString('base64');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
