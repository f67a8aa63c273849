import { wordList } from '../foundation/text.ts';
import type { GeneratorName } from '../model/load.ts';
import { PROTOCOL_TITLES, type ProtocolName, type Transport } from '../model/service.ts';
import { graphql } from './graphql/graphql.ts';
import { grpc } from './grpc/grpc.ts';
import type { Protocol } from './protocol.ts';
import { rest } from './rest/rest.ts';
import { websocket } from './websocket/websocket.ts';

export const PROTOCOLS = { rest, grpc, graphql, websocket } as const satisfies Readonly<Record<ProtocolName, Protocol>>;

const GENERATORS: Readonly<Record<Transport, GeneratorName>> = { grpc: 'ghz', http: 'vegeta', websocket: 'websocket' };

export function generatorFor(protocol: ProtocolName): GeneratorName {
  return GENERATORS[PROTOCOLS[protocol].transport];
}

export const OVER_HTTP = titlesOf('http');

export const WITH_STREAMS = wordList(
  Object.values(PROTOCOLS).flatMap((protocol: Protocol) =>
    protocol.streams === true ? PROTOCOL_TITLES[protocol.name] : [],
  ),
);

export const WITH_HEADERS = titlesOf('http', 'websocket');

function titlesOf(...transports: readonly Transport[]): string {
  const found = Object.values(PROTOCOLS).filter(({ transport }) => transports.includes(transport));
  return wordList(found.map(({ name }) => PROTOCOL_TITLES[name]));
}
