import { wordList } from '../foundation/text.ts';
import { PROTOCOL_TITLES, type ProtocolName, type Transport } from '../model/service.ts';
import { graphql } from './graphql/graphql.ts';
import { grpc } from './grpc/grpc.ts';
import type { Protocol } from './protocol.ts';
import { rest } from './rest/rest.ts';
import { websocket } from './websocket/websocket.ts';

/** Every protocol that a service can speak, by its name in `PROTOCOL_TITLES`. */
export const PROTOCOLS = { rest, grpc, graphql, websocket } as const satisfies Readonly<Record<ProtocolName, Protocol>>;

/** What people call the protocols that HTTP carries: "REST". */
export const OVER_HTTP = titlesOf('http');

/** What people call the protocols whose answers may be streams: "REST and gRPC". */
export const WITH_STREAMS = wordList(
  Object.values(PROTOCOLS).flatMap((protocol: Protocol) =>
    protocol.streams === true ? PROTOCOL_TITLES[protocol.name] : [],
  ),
);

/** What people call the protocols whose services are asked for by a path, with headers, of a request or of a handshake. */
export const WITH_HEADERS = titlesOf('http', 'websocket');

function titlesOf(...transports: readonly Transport[]): string {
  const found = Object.values(PROTOCOLS).filter(({ transport }) => transports.includes(transport));
  return wordList(found.map(({ name }) => PROTOCOL_TITLES[name]));
}
