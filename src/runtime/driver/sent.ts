import type { BlockLoad, GeneratorName, Load, Target, TargetRequest } from '../../model/load.ts';
import type { Content } from '../../model/suite/http.ts';

/** A load as the driver gets it (tools/load/cmd/wiregauge-load/protocol.go). */
export interface SentLoad {
  readonly tool: GeneratorName;
  /** Path of its records, relative to the folder that the driver runs in. */
  readonly output: string;
  readonly load: Omit<Load, 'target'> & { readonly target: SentTarget };
}

interface SentTarget extends Pick<Target, 'address' | 'method' | 'connection' | 'checked' | 'stream'> {
  readonly requests: readonly SentRequest[];
}

/** All bytes are in base64. */
interface SentRequest extends Pick<TargetRequest, 'call' | 'headers' | 'metadata' | 'messages' | 'socket'> {
  readonly body?: string;
}

/** A load with the bytes of its requests, and without what only this program needs. */
export function sentLoad({ tool, load }: BlockLoad, output: string): SentLoad {
  const { requests, address, method, connection, checked, stream } = load.target;
  const target = { address, method, connection, checked, stream, requests: requests.map(sentRequest) };
  return { tool, output, load: { ...load, target } };
}

function sentRequest({ call, headers, metadata, messages, socket, content }: TargetRequest): SentRequest {
  return { call, headers, metadata, messages, socket, ...(content !== undefined && { body: base64Of(content) }) };
}

function base64Of(content: Content): string {
  return 'base64' in content ? content.base64 : Buffer.from(content.text).toString('base64');
}
