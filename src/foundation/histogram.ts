import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram as HdrHistogram,
} from 'hdr-histogram-js';
import { ConfigError } from './errors.ts';

const LONGEST_MICROS = 3_600_000_000;

/** A stored latency distribution, true to three significant digits. */
export interface LatencyHistogram {
  readonly requests: number;
  /** The latency that this share of the requests did not exceed, in milliseconds; undefined for no requests. */
  quantileMs(share: number): number | undefined;
}

/**
 * Latencies in milliseconds as hdr-histogram V2, compressed, base64; all above an hour count as an hour. Sorted ones
 * are encoded fastest, since equal neighbours are recorded together.
 */
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

/** The distribution that `encodeHistogram` wrote; throws ConfigError where the text is damaged. */
export function decodeHistogram(text: string): LatencyHistogram {
  const histogram = decoded(text);
  return {
    requests: histogram.totalCount,
    quantileMs: (share) =>
      histogram.totalCount === 0 ? undefined : histogram.getValueAtPercentile(share * 100) / 1000,
  };
}

/** The distribution of all requests of several distributions together, true to 3 significant digits, or to 2 in a fraction of the bytes. */
export function mergeHistograms(texts: readonly string[], digits: 2 | 3 = 3): string {
  const merged = emptyHistogram(digits);
  for (const text of texts) {
    merged.add(decoded(text));
  }
  return encodeIntoCompressedBase64(merged);
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

/** None that is recorded comes near; what is packed so may be a thousand times as long. */
const LONGEST_TEXT = 200_000;

function decoded(text: string): HdrHistogram {
  try {
    if (text.length > LONGEST_TEXT) {
      throw new RangeError(`it has ${text.length} characters`);
    }
    return decodeFromCompressedBase64(text, 32, false);
  } catch (cause) {
    throw new ConfigError('A latency histogram cannot be read', {
      cause,
      next: 'The file was changed or damaged after it was written; measure again.',
    });
  }
}
