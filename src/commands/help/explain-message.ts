import type { Topic } from './explain-topics.ts';

/** Of the words of a known message so many have to stand in the text. */
const LEAST_SHARE = 0.8;
const LEAST_WORDS = 3;

/**
 * The known message that a pasted text is, by the words that both have; undefined where none is near. What stands for something else
 * in a known message (a file and its line, a name in quotes) is no word of it.
 */
export function messageLike(text: string, known: readonly Topic[]): Topic | undefined {
  const given = new Set(wordsOf(text));
  const [best] = known
    .map((topic) => {
      const words = new Set(wordsOf(withoutSamples(topic.name)));
      const shared = [...words].filter((word) => given.has(word)).length;
      const share = shared / words.size;
      const isLike = shared >= Math.min(LEAST_WORDS, words.size) && share >= LEAST_SHARE;
      return { topic, weight: isLike ? shared * share : 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((left, right) => right.weight - left.weight);
  return best?.topic;
}

function withoutSamples(message: string): string {
  return message
    .replace(/^\S+\.\w+:\d+(?::\d+)?: \S+: /, '')
    .replaceAll(/`[^`]*`|"[^"]*"/g, ' ')
    .replaceAll(/\S*…/g, ' ');
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
