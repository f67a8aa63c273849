import type { Protocol } from '../core/protocol.ts';
import type { ProtocolName } from '../core/service.ts';
import { grpc } from './grpc.ts';
import { rest } from './rest.ts';

/** Every protocol that a service can speak. */
export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = { rest, grpc };
