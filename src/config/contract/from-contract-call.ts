import type protobuf from 'protobufjs';
import type { Row } from '../operations/feed.ts';
import { operationNameFrom } from '../operations/name-from.ts';
import { exampleMessage } from './from-contract-example.ts';

/** A method of a contract, as an operation calls it. */
export interface ContractCall {
  /** What the operation is called where nobody says otherwise. */
  readonly name: string;
  /** "user.v1.UserService/GetUser". */
  readonly call: string;
  /** Whether it takes a stream of messages. */
  readonly takesStream: boolean;
  /** A message that it takes; undefined where none can be made. */
  readonly message: Row | undefined;
}

/** How a method is called, with an example message. */
export function contractCall(method: protobuf.Method): ContractCall {
  return {
    name: operationNameFrom([method.name], 'call'),
    call: `${method.parent?.fullName.slice(1) ?? ''}/${method.name}`,
    takesStream: method.requestStream === true,
    message: exampleMessage(method.parent, method.requestType),
  };
}
