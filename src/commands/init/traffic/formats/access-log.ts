import type { ObservedRequest } from '../request.ts';

/** Request of a line of an access log in common or combined form, of Envoy, or of ALB; undefined for any other line. */
export function accessLogRequest(line: string): ObservedRequest | undefined {
  return line.startsWith('{') ? undefined : (plainRequest(line) ?? loadBalancerRequest(line));
}

/** `… [time] "GET / HTTP/1.1" 200 …`, with anything before and after it. */
function plainRequest(line: string): ObservedRequest | undefined {
  const close = line.indexOf('] "');
  const end = close === -1 ? -1 : quoteEnd(line, close + 3);
  const open = line.lastIndexOf('[', close);
  if (end === -1 || open === -1) {
    return undefined;
  }
  const status = Number(line.slice(end + 2, end + 5));
  const time = line.slice(open + 1, close);
  // "10/Oct/2026:13:55:36 -0700" or "2026-10-10T13:55:36.012Z".
  const minute = time.slice(0, time.charAt(2) === '/' ? 17 : 16);
  return Number.isInteger(status) ? { ...requestLine(line.slice(close + 3, end)), status, minute } : undefined;
}

/** `https 2026-10-10T13:55:36.012Z app/name/id client target 0 0 0 200 200 34 366 "GET https://host:443/ HTTP/2.0" …`. */
function loadBalancerRequest(line: string): ObservedRequest | undefined {
  const [, time = '', status, request = ''] =
    /^(?:https?|h2|wss?|grpcs?) (\S{10,40})(?: \S{1,300}){6} (\d{3}|-) (?:\S{1,20} ){3}"([^"]{0,9000})"/.exec(line) ??
    [];
  return status === undefined
    ? undefined
    : { ...requestLine(request), status: status === '-' ? 500 : Number(status), minute: time.slice(0, 16) };
}

/** Position of the quote that ends a text; -1 without one. */
function quoteEnd(line: string, from: number): number {
  let at = line.indexOf('" ', from);
  while (at > from && line.charAt(at - 1) === '\\') {
    at = line.indexOf('" ', at + 1);
  }
  return at;
}

/** Method and target of `GET / HTTP/1.1`; for anything else an invalid method. */
export function requestLine(text: string): Pick<ObservedRequest, 'method' | 'target'> {
  const space = text.indexOf(' ');
  const end = text.lastIndexOf(' HTTP/');
  const target = text.slice(space + 1, end > space ? end : undefined);
  return {
    method: text.slice(0, Math.max(0, space)),
    target: target.includes('\\x') ? target.replaceAll('\\x', '%') : target,
  };
}
