import { describe, expect, test } from 'vitest';
import { contentHash } from '../../../src/runtime/built-program.ts';

const hash = (text: string, folder?: string, path = '/a') => contentHash(path, Buffer.from(text), folder);

describe('contentHash', () => {
  test('is of the content, without the folder that the build is in', () => {
    expect(hash('#!/tmp/one/bin/python\n', '/tmp/one')).toBe(hash('#!/tmp/two/bin/python\n', '/tmp/two'));
    expect(hash('#!/tmp/one/bin/python\n', '/tmp/one')).not.toBe(hash('#!/tmp/one/bin/ruby\n', '/tmp/one'));
    expect(hash('one')).not.toBe(hash('two'));
  });

  test('leaves out the time of the source in a compiled Python module, and nothing else', () => {
    const pyc = (flags: number, time: number, code: string) => {
      const header = Buffer.alloc(16);
      header.writeUInt32LE(flags, 4);
      header.writeUInt32LE(time, 8);
      return contentHash('/a.pyc', Buffer.concat([header, Buffer.from(code)]));
    };
    expect(pyc(0, 1, 'code')).toBe(pyc(0, 2, 'code'));
    expect(pyc(0, 1, 'code')).not.toBe(pyc(0, 1, 'other'));
    // By the hash of its source.
    expect(pyc(1, 1, 'code')).not.toBe(pyc(1, 2, 'code'));
  });
});
