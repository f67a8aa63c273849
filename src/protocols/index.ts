export { type Client, protocolClient } from './client.ts';
export { messagesFor } from './grpc/client.ts';
export { contractReader, type GrpcContract, readContract } from './grpc/contract.ts';
export { PROTOCOLS } from './protocols.ts';
export { missingArgument } from './rest/rest.ts';
