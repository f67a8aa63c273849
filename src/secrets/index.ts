export { beginningOf, endingOf } from './mask.ts';
export { causeFirst, tellingLine, tellingLines } from './printed.ts';
export {
  NO_SECRETS,
  resolvedRequest,
  resolvedService,
  resolvedTarget,
  type Secrets,
  type SecretUse,
  secretsFrom,
} from './secrets.ts';
