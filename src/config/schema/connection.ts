import type { z } from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import type { Connection, HttpVersion, Tls } from '../../model/connection.ts';
import { contentAt, type ReadFile } from '../files.ts';
import type { tls } from './connection-schema.ts';

/** What a service says of its connection. */
interface ConnectionKeys {
  readonly http?: HttpVersion | undefined;
  readonly tls?: z.output<typeof tls> | undefined;
}

/** The service in its file, and the files of its repository. */
interface ConnectionPlace {
  /** For messages: where a key of the service stands. */
  readonly at: (...steps: readonly string[]) => string;
  readonly readFile: ReadFile;
}

/**
 * The connection of a service with the PEM texts of its files; undefined where it says nothing. Throws ConfigError with file and
 * line where one cannot be read or is no PEM.
 */
export function connectionOf(said: ConnectionKeys, place: ConnectionPlace): Connection | undefined {
  const { http, tls: security } = said;
  if (http === undefined && security === undefined) {
    return undefined;
  }
  return { http: http ?? '1.1', tls: security && tlsOf(security, place) };
}

function tlsOf({ insecure, serverName, ...files }: z.output<typeof tls>, { at, readFile }: ConnectionPlace): Tls {
  const pem = (key: keyof typeof files): string | undefined => {
    const source = files[key];
    return source === undefined || source.startsWith('${') ? source : pemIn(source, at('tls', key), readFile);
  };
  return { ca: pem('ca'), insecure, serverName, certificate: pem('certificate'), key: pem('key') };
}

function pemIn(path: string, place: string, readFile: ReadFile): string {
  const { text } = contentAt(path, place, readFile);
  if (!text.includes('-----BEGIN ')) {
    throw new ConfigError(`${place}: ${path} is not PEM`, {
      next: 'Convert it: openssl x509 -in <file> -inform der -out <file>.pem; of a key, openssl pkey.',
    });
  }
  return text;
}
