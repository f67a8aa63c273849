import type protobuf from 'protobufjs';
import { ConfigError } from '../foundation/errors.ts';
import type { Service } from '../model/service.ts';
import { NO_FILES, type ReadFile } from './files.ts';

/** A contract, ready to tell what can be called. */
export interface ReadableContract {
  /** "user.v1.UserService/GetUser". */
  readonly calls: readonly string[];
  method(call: string): protobuf.Method;
}

/** Gives the contract in the files of a service; throws ConfigError where it does not compile. */
export type ReadContract = (service: Pick<Service, 'name' | 'proto'>) => ReadableContract;

/** What reads the files that a configuration names, and hears what is to be said of them. */
export interface ConfigReader {
  readonly readFile: ReadFile;
  readonly readContract: ReadContract;
  /** Takes a line about something that was left out. */
  readonly remark: (line: string) => void;
}

/** For configurations that name no files. */
export const NO_READING: ConfigReader = {
  readFile: NO_FILES,
  readContract: ({ name }) => {
    throw new ConfigError(`${name}: its contract cannot be read here`);
  },
  remark: () => undefined,
};
