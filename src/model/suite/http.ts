export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

export const SUCCESS: readonly StatusRange[] = [{ from: 200, to: 299 }];

export function isExpected(status: number, ranges: readonly StatusRange[]): boolean {
  return ranges.some(({ from, to }) => status >= from && status <= to);
}

export function statusText(ranges: readonly StatusRange[]): string {
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from / 100}xx`)).join(', ');
}

export function isRateLimit({ kind }: { readonly kind: string }): boolean {
  return kind === 'HTTP 429';
}

export const RATE_LIMITED =
  'The service limits its rate: turn the limit off for the measurement, such as by a variable in `environment`.';

export type Content = { readonly text: string } | { readonly base64: string };

export interface Answer {
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  readonly text: string;
  readonly bytes: number;
  readonly sha256: string;
}
