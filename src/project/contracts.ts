import { ConfigError, nearName } from '../foundation/index.ts';
import type { Operation, ProtocolName, Service, TargetRequest } from '../model/index.ts';
import { type GrpcContract, messagesFor, PROTOCOLS, readContract } from '../protocols/index.ts';
import type { SuiteFiles } from './suite.ts';

/**
 * Gives the files back once every gRPC call in them is one of its service's contract and every message fits, and the messages that
 * answers of REST services are said to be are there, before anything is built. Throws ConfigError where not. What a service tells by
 * reflection is checked when it runs.
 */
export function withCheckedContracts(files: SuiteFiles): SuiteFiles {
  for (const service of files.services.values()) {
    CHECKS[service.protocol](service, files.suite.operations);
  }
  return files;
}

type Check = (service: Service, operations: readonly Operation[]) => void;

const CHECKS: Readonly<Record<ProtocolName, Check>> = { grpc: checkCalls, rest: checkAnswers };

function checkCalls(service: Service, operations: readonly Operation[]): void {
  const { proto } = service;
  if (proto !== undefined && !('reflection' in proto)) {
    const contract = readContract(service);
    for (const operation of operations) {
      checkOperation(operation, service, contract);
    }
  }
}

function checkAnswers(service: Service, operations: readonly Operation[]): void {
  const messages = operations.flatMap((operation) => {
    const message = operation.bindings.rest?.expect.message;
    return message === undefined ? [] : [{ operation, message }];
  });
  const [first] = messages;
  if (first !== undefined && service.proto === undefined) {
    throw new ConfigError(`operation ${first.operation.name}: expects a message, and ${service.name} has no contract`, {
      next: 'Add `proto: { root: proto, file: user/v1/user.proto }` to the service, with the paths of your contract.',
    });
  }
  const contract = first && readContract(service);
  for (const { operation, message } of messages) {
    named(operation, () => contract?.message(message));
  }
}

function checkOperation(operation: Operation, service: Service, contract: GrpcContract): void {
  for (const request of PROTOCOLS.grpc.target(operation, service, '').requests) {
    const method = methodOf(request, { operation, contract });
    named(operation, () => messagesFor(method, request));
  }
}

interface Checked {
  readonly operation: Operation;
  readonly contract: GrpcContract;
}

function methodOf({ call }: TargetRequest, { operation, contract }: Checked) {
  try {
    return contract.method(call);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) {
      throw thrown;
    }
    const near = nearName(call, contract.calls);
    throw near === undefined
      ? ofOperation(operation, thrown)
      : new ConfigError(`operation ${operation.name}: ${thrown.message}`, {
          cause: thrown,
          next: `Did you mean ${near}?`,
        });
  }
}

function named(operation: Operation, check: () => unknown): void {
  try {
    check();
  } catch (thrown) {
    throw thrown instanceof ConfigError ? ofOperation(operation, thrown) : thrown;
  }
}

function ofOperation({ name }: Operation, thrown: ConfigError): ConfigError {
  const next = thrown.next === undefined ? {} : { next: thrown.next };
  return new ConfigError(`operation ${name}: ${thrown.message}`, { cause: thrown, ...next });
}
