import { describe, expect, test } from 'vitest';
import type { RestBinding } from '../../../../src/protocols/rest/binding.ts';
import { missingArgument, restRequest } from '../../../../src/protocols/rest/request.ts';
import { restBinding } from '../../../support/suite.ts';

const json = (value: Extract<RestBinding['body'], { kind: 'json' }>['json']) =>
  restBinding('POST /x', { body: { kind: 'json', json: value } });
const text = (value: string) => restBinding('POST /x', { body: { kind: 'text', text: value } });
const file = (name: string) => restBinding('POST /x', { body: { kind: 'file', file: name, base64: 'AAE=' } });

describe('restRequest', () => {
  test.each([
    [{ id: '{id}' }, { id: 7 }, '{"id":7}'],
    [{ name: 'user {id}!' }, { id: 7 }, '{"name":"user 7!"}'],
    [{ a: [{ b: '{id}' }] }, { id: true }, '{"a":[{"b":true}]}'],
    [{ user: '{user}' }, { user: { id: [1] } }, '{"user":{"id":[1]}}'],
    [{ user: '{user}' }, { user: null }, '{"user":null}'],
    [{ text: '{}', other: 1 }, {}, '{"text":"{}","other":1}'],
    [{ text: '{toString}' }, {}, '{"text":"{toString}"}'],
  ])('fills the body %j with %j', (template, values, content) => {
    expect(restRequest(json(template), values).content).toEqual({ text: content });
  });

  test.each([
    ['JSON', json({}), 'application/json'],
    ['text', text('a'), 'text/plain; charset=utf-8'],
    ['a file of JSON', file('a/b.JSON'), 'application/json'],
    ['a file of another kind', file('a/b.png'), 'application/octet-stream'],
    ['a file without an ending', file('Makefile'), 'application/octet-stream'],
  ])('says the content type of %s, unless a header does', (_, binding, type) => {
    expect(restRequest(binding, {}).headers).toEqual({ 'Content-Type': type });
    expect(restRequest({ ...binding, headers: { 'Content-Type': 'x/y' } }, {}).headers).toEqual({
      'Content-Type': 'x/y',
    });
  });

  test('sends a file unchanged', () => {
    expect(restRequest(file('a.bin'), { AAE: 'no' }).content).toEqual({ base64: 'AAE=' });
  });

  test('fills headers, in which an argument cannot begin another', () => {
    const binding = restBinding('GET /', { headers: { 'X-Id': 'id {id}' } });

    expect(restRequest(binding, { id: '1\r\nX-Other: 2' }).headers).toEqual({ 'X-Id': 'id 1 X-Other: 2' });
  });

  test('has neither body nor content type where it has no body', () => {
    expect(restRequest(restBinding('GET /'), {})).toEqual({ path: '/', headers: {}, content: undefined });
  });
});

describe('missingArgument', () => {
  test.each([
    ['the path', restBinding('GET /{id}')],
    ['a header', restBinding('GET /', { headers: { A: '{id}' } })],
    ['a text', text('{id}')],
    ['JSON', json({ a: ['{id}'] })],
  ])('finds a placeholder without a value in %s', (_, binding) => {
    expect(missingArgument(binding, { other: 1 })).toBe('id');
    expect(missingArgument(binding, { id: 1 })).toBeUndefined();
  });

  test.each([[null], [{ a: 1 }], [[1]]])('takes %o for no value, but in JSON', (id) => {
    expect(missingArgument(text('{id}'), { id })).toBe('id');
    expect(missingArgument(json('{id}'), { id })).toBeUndefined();
  });

  test('looks into no file', () => {
    expect(missingArgument(file('a.json'), {})).toBeUndefined();
  });
});
