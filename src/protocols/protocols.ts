import type { Protocol, ProtocolName } from '../model/index.ts';
import { grpc } from './grpc/grpc.ts';
import { rest } from './rest/rest.ts';

/** Every protocol that a service can speak. */
export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = { rest, grpc };
