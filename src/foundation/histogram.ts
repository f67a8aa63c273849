import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram as HdrHistogram,
} from 'hdr-histogram-js';
import pako from 'pako';
import { ConfigError } from './errors.ts';

const LONGEST_MICROS = 3_600_000_000;

export interface LatencyHistogram {
  readonly requests: number;
  /** Latency in milliseconds that a share of the requests did not exceed; undefined if there are no requests. */
  quantileMs(share: number): number | undefined;
}

/** Latencies in ms as hdr-histogram V2, compressed, base64; sorted input is fastest. Values above one hour count as one hour. */
export function encodeHistogram(latenciesMs: ArrayLike<number>): string {
  const histogram = emptyHistogram();
  let from = 0;
  for (let index = 1; index <= latenciesMs.length; index += 1) {
    const micros = microsOf(latenciesMs[from] ?? 0);
    if (index === latenciesMs.length || microsOf(latenciesMs[index] ?? 0) !== micros) {
      histogram.recordValueWithCount(micros, index - from);
      from = index;
    }
  }
  return encodeIntoCompressedBase64(histogram);
}

function microsOf(milliseconds: number): number {
  return Math.min(LONGEST_MICROS, Math.max(0, Math.round(milliseconds * 1000)));
}

/** Distribution encoded by `encodeHistogram`; throws ConfigError if the text is damaged. */
export function decodeHistogram(text: string): LatencyHistogram {
  return readable(decoded(text));
}

/** Distribution of all requests of several; throws ConfigError if one is damaged. */
export function mergedHistogram(texts: readonly string[]): LatencyHistogram {
  return readable(merged(texts, 3));
}

function readable(histogram: HdrHistogram): LatencyHistogram {
  return {
    requests: histogram.totalCount,
    quantileMs: (share) =>
      histogram.totalCount === 0 ? undefined : histogram.getValueAtPercentile(share * 100) / 1000,
  };
}

/** Merged distribution of all requests, with 3 significant digits, or with 2 in a fraction of the size. */
export function mergeHistograms(texts: readonly string[], digits: 2 | 3 = 3): string {
  return encodeIntoCompressedBase64(merged(texts, digits));
}

function merged(texts: readonly string[], digits: 2 | 3): HdrHistogram {
  const sum = emptyHistogram(digits);
  for (const text of texts) {
    sum.add(decoded(text));
  }
  return sum;
}

function emptyHistogram(digits: 2 | 3 = 3): HdrHistogram {
  return build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: LONGEST_MICROS,
    numberOfSignificantValueDigits: digits,
    autoResize: false,
    useWebAssembly: false,
  });
}

/** Limit far above recorded histograms. */
const LONGEST_TEXT = 200_000;

/** Limit far above recorded histograms, which have up to 9 bytes per distinct latency. */
const MAX_BYTES = 1_000_000;

function decoded(text: string): HdrHistogram {
  try {
    if (text.length > LONGEST_TEXT) {
      throw new RangeError(`it has ${text.length} characters`);
    }
    const bytes = unpacked(Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0)));
    refuseClaims(bytes);
    return decodeFromCompressedBase64(text, 32, false);
  } catch (cause) {
    throw new ConfigError('a latency histogram cannot be read', {
      code: 'WG-403',
      cause,
      next: 'The file was changed or damaged after it was written; measure again.',
    });
  }
}

const COMPRESSED = 0x1c849314;

const PLAIN = 0x1c849313;

/** Cookie and length. */
const ENVELOPE_BYTES = 8;

const HEADER_BYTES = 40;

/** Inflates data, which may be a thousand times as long as the text. */
function unpacked(packed: Uint8Array<ArrayBuffer>): Uint8Array {
  if (new DataView(packed.buffer).getInt32(0) !== COMPRESSED) {
    throw new RangeError('it is not a histogram');
  }
  const inflate = new pako.Inflate();
  const keep = inflate.onData;
  let bytes = 0;
  inflate.onData = (part) => {
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      throw new RangeError('it is too long');
    }
    keep.call(inflate, part);
  };
  inflate.push(packed.subarray(ENVELOPE_BYTES), true);
  if (inflate.err !== 0 || !(inflate.result instanceof Uint8Array)) {
    throw new RangeError(inflate.msg);
  }
  return inflate.result;
}

/** The decoder trusts the header, and would read far beyond the end. */
function refuseClaims(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer);
  const [cookie, length, digits] = [view.getInt32(0), view.getInt32(4), view.getInt32(12)];
  const [lowest, highest] = [view.getBigInt64(16), view.getBigInt64(24)];
  const fits = length === bytes.length - HEADER_BYTES && digits >= 1 && digits <= 3;
  if (cookie !== PLAIN || !fits || lowest !== 1n || highest < 2n || highest > BigInt(LONGEST_MICROS)) {
    throw new RangeError('its header is not valid');
  }
}
