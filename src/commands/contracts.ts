import { type Contract, readContract } from '../adapters/client-grpc-contract.ts';
import { messagesFor } from '../adapters/client-grpc-request.ts';
import { nearName } from '../config/near-name.ts';
import { ConfigError } from '../core/errors.ts';
import type { TargetRequest } from '../core/load.ts';
import type { Service } from '../core/service.ts';
import type { Operation } from '../core/suite.ts';
import { PROTOCOLS } from '../protocols/index.ts';
import type { SuiteFiles } from './suite.ts';

/**
 * Gives the files back once every gRPC call in them is one of its service's contract and every message fits, before anything is
 * built. Throws ConfigError where not. What a service tells by reflection is checked when it runs.
 */
export function withCheckedContracts(files: SuiteFiles): SuiteFiles {
  for (const service of files.services.values()) {
    const { proto } = service;
    if (service.protocol === 'grpc' && proto !== undefined && !('reflection' in proto)) {
      const contract = readContract(service);
      for (const operation of files.suite.operations) {
        checkOperation(operation, service, contract);
      }
    }
  }
  return files;
}

function checkOperation(operation: Operation, service: Service, contract: Contract): void {
  for (const request of PROTOCOLS.grpc.target(operation, service, '').requests) {
    const method = methodOf(request, { operation, contract });
    try {
      messagesFor(method, request);
    } catch (thrown) {
      throw thrown instanceof ConfigError ? ofOperation(operation, thrown) : thrown;
    }
  }
}

interface Checked {
  readonly operation: Operation;
  readonly contract: Contract;
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

function ofOperation({ name }: Operation, thrown: ConfigError): ConfigError {
  const next = thrown.next === undefined ? {} : { next: thrown.next };
  return new ConfigError(`operation ${name}: ${thrown.message}`, { cause: thrown, ...next });
}
