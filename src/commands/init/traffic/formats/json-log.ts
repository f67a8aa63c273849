import { isLooseMap, type LooseMap, listIn, mapIn } from '../../../../config/yaml/lines.ts';
import { ifPossible } from '../../../../foundation/errors.ts';
import { BINARY, type ObservedRequest } from '../request.ts';
import { requestLine } from './access-log.ts';

/** Keys of nginx, Apache, Caddy, Envoy, Traefik, vegeta and loggers of applications, the most specific first. */
const KEYS = {
  line: ['request', 'requestLine', 'request_line'],
  method: ['RequestMethod', 'request_method', 'requestMethod', 'method', 'verb'],
  target: ['RequestPath', 'request_uri', 'requestUrl', 'uri', 'url', 'path', 'originalUrl'],
  host: ['RequestHost', 'host', 'http_host', 'authority', 'vhost'],
  status: ['OriginStatus', 'DownstreamStatus', 'response_code', 'status', 'statusCode', 'status_code', 'code'],
  time: ['StartUTC', 'start_time', 'time_iso8601', '@timestamp', 'timestamp', 'time', 'time_local', 'ts', 'date'],
} as const;

/** Maps in which the request or the response may be. */
const INNER = ['request', 'req', 'httpRequest', 'response', 'res', 'http'];

/** Request of a line of an access log in JSON; undefined for any other line. */
export function jsonLogRequest(line: string): ObservedRequest | undefined {
  const found = ifPossible((): unknown => JSON.parse(line));
  if (!isLooseMap(found)) {
    return undefined;
  }
  if (isLooseMap(found['header'])) {
    return vegetaTarget(found);
  }
  const maps = [found, ...INNER.map((key) => found[key]).filter(isLooseMap)];
  const of = (keys: readonly string[]): string | number | undefined => {
    for (const key of keys) {
      for (const { [key]: value } of maps) {
        if (typeof value === 'string' || typeof value === 'number') {
          return value;
        }
      }
    }
    return undefined;
  };
  const whole = requestLine(String(of(KEYS.line) ?? ''));
  const method = String(of(KEYS.method) ?? whole.method);
  const target = String(of(KEYS.target) ?? whole.target);
  const status = Number(of(KEYS.status) ?? Number.NaN);
  return method === '' || target === ''
    ? undefined
    : {
        method,
        target,
        host: String(of(KEYS.host) ?? ''),
        ...(Number.isInteger(status) && { status }),
        minute: minuteOf(of(KEYS.time) ?? ''),
      };
}

/** Target of vegeta in JSON, whose body is in base64. */
function vegetaTarget({ method, url, body, header }: LooseMap): ObservedRequest | undefined {
  const headers = Object.entries(mapIn(header)).map(
    ([name, values]) => [name, String(listIn(values)[0] ?? '')] as const,
  );
  const text = typeof body === 'string' ? Buffer.from(body, 'base64').toString() : undefined;
  return typeof method === 'string' && typeof url === 'string'
    ? { method, target: url, headers, body: text?.includes('\ufffd') === true ? BINARY : text }
    : undefined;
}

/** Minute of a time in seconds or milliseconds since 1970, a local time, or an ISO date, as a key. The text of each time would fill a cache of V8. */
function minuteOf(time: string | number): string | undefined {
  if (typeof time === 'number' || /^\d{9,13}(?:\.\d+)?$/.test(time)) {
    return String(Math.floor(Number(time) / (Number(time) > 1e11 ? 60_000 : 60)));
  }
  return time.slice(0, time.charAt(2) === '/' ? 17 : 16) || undefined;
}
