import { secretsFrom } from '../../src/model/secrets/secrets.ts';

/** Secrets of a configuration that uses none. */
export const NO_SECRETS = secretsFrom([], {}, () => '');
