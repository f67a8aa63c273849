import type { LeftOutService } from '../services/proposal.ts';
import { isManifest } from './manifests.ts';
import { filesBelow, type RepositoryFolder } from './places.ts';
import { namesIn } from './port-variable.ts';

const VARIABLE = /RATE_?LIMIT|THROTTL/i;

const LIBRARY =
  /express-rate-limit|rate-limiter-flexible|@fastify\/rate-limit|@nestjs\/throttler|koa-ratelimit|flask[-_]limiter|slowapi|fastapi-limiter|django-ratelimit|bucket4j|go-chi\/httprate|didip\/tollbooth|ulule\/limiter|tower_governor|actix-governor|rack-attack/i;

const IN_SOURCES =
  /\bDEFAULT_THROTTLE_RATES\b|\bAddRateLimiter\(|\bthrottleApi\(|\bThrottleRequests::class\.|['"]throttle:\w+/;

/** Rate limit that a service seems to have, with the variables that set it: under load it would answer with 429. */
export function rateLimits(
  name: string,
  place: RepositoryFolder,
  environment: Readonly<Record<string, string>>,
): readonly LeftOutService[] {
  const own = filesBelow(place);
  const read = namesIn(own.map(({ text }) => text));
  const variables = [...new Set([...Object.keys(environment), ...read])].filter((one) => VARIABLE.test(one));
  const texts = own.map(({ path, text }) => (isManifest(path) ? LIBRARY : IN_SOURCES).exec(text)?.[0]);
  const found = texts.find((one) => one !== undefined);
  const otherwise = 'or most responses are 429';
  const why =
    variables.length === 0
      ? `${found?.replace('(', '')} is used: turn it off for the measurement, ${otherwise}`
      : `set ${variables.slice(0, 3).join(', ')} in \`environment\` so that it does not limit the load, ${otherwise}`;
  return variables.length === 0 && found === undefined ? [] : [{ name: `${name}: rate limit`, why }];
}
