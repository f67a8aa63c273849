import { PROTOCOLS } from '../protocols/index.ts';
import type { SuiteFiles } from './suite.ts';

/**
 * Gives the files back once every gRPC call in them is one of its service's contract and every message fits, and the messages that
 * answers of REST services are said to be are there, before anything is built. Throws ConfigError where not. What a service tells by
 * reflection is checked when it runs.
 */
export function withCheckedContracts(files: SuiteFiles): SuiteFiles {
  for (const service of files.services.values()) {
    PROTOCOLS[service.protocol].check?.(service, files.suite.operations);
  }
  return files;
}
