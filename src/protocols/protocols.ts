import { PROTOCOL_TITLES, type ProtocolName } from '../model/index.ts';
import { graphql } from './graphql/graphql.ts';
import { grpc } from './grpc/grpc.ts';
import type { Protocol } from './protocol.ts';
import { rest } from './rest/rest.ts';

/** Every protocol that a service can speak, by its name in `PROTOCOL_TITLES`. */
export const PROTOCOLS = { rest, grpc, graphql } as const satisfies Readonly<Record<ProtocolName, Protocol>>;

/** What people call the protocols that HTTP carries: "REST". */
export const OVER_HTTP = Object.values(PROTOCOLS)
  .filter(({ transport }) => transport === 'http')
  .map(({ name }) => PROTOCOL_TITLES[name])
  .join(' and ');
