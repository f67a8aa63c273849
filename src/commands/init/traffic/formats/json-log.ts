import { isLooseMap, type LooseMap, listIn, mapIn } from '../../../../config/yaml/lines.ts';
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
  const found = mapOf(line);
  if (found === undefined) {
    return undefined;
  }
  if (isLooseMap(found['header'])) {
    return vegetaTarget(found);
  }
  const maps = [found, ...INNER.map((key) => found[key]).filter(isLooseMap)];
  const of = (keys: readonly string[]): string | undefined => {
    for (const key of keys) {
      const value = maps.map((map) => map[key]).find((one) => typeof one === 'string' || typeof one === 'number');
      if (value !== undefined) {
        return String(value);
      }
    }
    return undefined;
  };
  const whole = requestLine(of(KEYS.line) ?? '');
  const method = of(KEYS.method) ?? whole.method;
  const target = of(KEYS.target) ?? whole.target;
  const status = Number(of(KEYS.status) ?? Number.NaN);
  return method === '' || target === ''
    ? undefined
    : {
        method,
        target,
        host: of(KEYS.host),
        ...(Number.isInteger(status) && { status }),
        minute: minuteOf(of(KEYS.time)),
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

function mapOf(line: string): LooseMap | undefined {
  try {
    const found: unknown = JSON.parse(line);
    return isLooseMap(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Minute of a time in seconds or milliseconds since 1970, a local time, or an ISO date. */
function minuteOf(time: string | undefined): string | undefined {
  if (time === undefined || !/^\d{9,13}(?:\.\d+)?$/.test(time)) {
    return time?.slice(0, time.charAt(2) === '/' ? 17 : 16);
  }
  const number = Number(time);
  return String(Math.floor(number / (number > 1e11 ? 60_000 : 60)));
}
