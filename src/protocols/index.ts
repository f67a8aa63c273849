export { type Client, protocolClient } from './client.ts';
export { type Examination, examineQueries, toldSchema } from './graphql/examine.ts';
export { type GrpcSource, metadata } from './grpc/binding.ts';
export { contractReader } from './grpc/contract.ts';
export { toldMethods } from './grpc/told.ts';
export { headers } from './http/headers.ts';
export { missingKey, type Protocol } from './protocol.ts';
export { OVER_HTTP, PROTOCOLS, WITH_HEADERS, WITH_STREAMS } from './protocols.ts';
export type { BodySource, RestSource } from './rest/binding.ts';
