import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';

const DESIGN = `factorial:
  factors:
    body: [JSON, protobuf]
    version: [HTTP/1.1, h2c]
  services:
    one: [JSON, HTTP/1.1]
    two: [protobuf, HTTP/1.1]
    three: [protobuf, h2c]
  lead:
    service: three
    against: one
    parts: { the body: [body], multiplexing: [version] }
`;

function project(design: string, own = '') {
  const text = `services:
  one: { protocol: rest, port: 8080, image: nginx:1.27 }
  two: { protocol: rest, port: 8081, image: nginx:1.27 }
  three: { protocol: rest, port: 8082, image: nginx:1.27${own} }
operations:
  - { name: Get, rest: GET / }
${design}`;
  return parseProject({ file: 'wiregauge.yml', text }).suite;
}

describe('factorial', () => {
  it('is a design with the levels of each service, and a lead', () => {
    expect(project(DESIGN).factorial).toEqual({
      factors: [
        { name: 'body', levels: ['JSON', 'protobuf'] },
        { name: 'version', levels: ['HTTP/1.1', 'h2c'] },
      ],
      services: [
        { service: 'one', levels: ['JSON', 'HTTP/1.1'] },
        { service: 'two', levels: ['protobuf', 'HTTP/1.1'] },
        { service: 'three', levels: ['protobuf', 'h2c'] },
      ],
      lead: {
        of: ['protobuf', 'h2c'],
        against: ['JSON', 'HTTP/1.1'],
        parts: [
          { name: 'the body', factors: ['body'] },
          { name: 'multiplexing', factors: ['version'] },
        ],
      },
    });
    expect(project('').factorial).toBeUndefined();
  });

  it.each([
    [
      'a service that is not in the suite',
      DESIGN.replace('two: [', 'twe: ['),
      /^wiregauge\.yml:13:\d+: factorial\.services\.twe: there is no service twe in this suite$/,
    ],
    [
      'a level that is none of the factor',
      DESIGN.replace('two: [protobuf, HTTP/1.1]', 'two: [protobuf, h3]'),
      /factorial\.services\.two: has h3 as version, which must be one of HTTP\/1\.1, h2c$/,
    ],
    [
      'a service without a level for each factor',
      DESIGN.replace('two: [protobuf, HTTP/1.1]', 'two: [protobuf]'),
      /factorial\.services\.two: has 1 levels, but there are 2 factors: body, version$/,
    ],
    [
      'two services with the same levels',
      DESIGN.replace('two: [protobuf, HTTP/1.1]', 'two: [JSON, HTTP/1.1]'),
      /factorial\.services\.two: has the same levels as one$/,
    ],
    [
      'a lead of a service that is not part of it',
      DESIGN.replace('service: three', 'service: four'),
      /factorial\.lead\.service: is not a service of the design$/,
    ],
    [
      'parts without a factor in which the two differ',
      DESIGN.replace(', multiplexing: [version]', ''),
      /factorial\.lead\.parts: must list each factor in which the two differ, once: body and version$/,
    ],
    [
      'parts with a factor twice',
      DESIGN.replace('[version] }', '[version, body] }'),
      /factorial\.lead\.parts: must list each factor in which the two differ, once: body and version$/,
    ],
    ['a factor with one level', DESIGN.replace('[JSON, protobuf]', '[JSON]'), /factorial\.factors\.body: /],
    [
      'more factors than can be looked at',
      DESIGN.replace('    body:', `${['a', 'b', 'c', 'd'].map((key) => `    ${key}: [x, y]\n`).join('')}    body:`),
      /factorial\.factors: has more than 5 factors$/,
    ],
  ])('refuses %s, with the place', (_what, design, message) => {
    expect(() => project(design)).toThrow(message);
  });

  it('refuses services with operations of their own', () => {
    expect(() => project(DESIGN, ', operations: [{ name: Other, rest: GET /other }]')).toThrow(
      /factorial: compares services, but these have their own operations$/,
    );
  });
});
