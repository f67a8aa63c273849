import { describe, expect, it } from 'vitest';
import { readSuite } from '../../../../src/project/suite.ts';

const { suite, services } = readSuite('.', 'gateway');

const PARTS = [
  'account',
  'contact',
  'address',
  'preferences',
  'roles',
  'orders',
  'payments',
  'devices',
  'messages',
  'consents',
];

/** The forms: how a gateway is asked, and how it asks its members. */
const FORMS = [
  { prefix: 'gateway', protocol: 'rest', way: 'grpc' },
  { prefix: 'gateway-rest', protocol: 'rest', way: 'http' },
  { prefix: 'gateway-grpc', protocol: 'grpc', way: 'grpc' },
];
const SYSTEMS = FORMS.flatMap((form) =>
  [1, 5, 10].map((count) => ({ ...form, count, name: `${form.prefix}-${count}` })),
);

function systemOf(name: string) {
  const service = services.get(name);
  if (service === undefined) {
    throw new Error(`no service ${name}`);
  }
  return service;
}

describe('the suite gateway', () => {
  it('has each form with 1, 5 and 10 members', () => {
    expect(suite.services.toSorted()).toEqual(SYSTEMS.map(({ name }) => name).toSorted());
  });

  it.each(SYSTEMS)('calls $name over $protocol, which calls $count members over $way', (system) => {
    const { protocol, entry, environment, members = [] } = systemOf(system.name);
    const names = Array.from({ length: system.count }, (_, index) => `part-${index + 1}`);

    expect({ protocol, entry }).toEqual({ protocol: system.protocol, entry: 'gateway' });
    expect(members.map(({ name }) => name)).toEqual(names);
    expect(environment).toEqual({
      WAY: system.way,
      MEMBERS: names.map((name) => `\${members.${name}.host}:\${members.${name}.port}`).join(','),
    });
  });

  it.each(SYSTEMS)('deals out all parts of a profile evenly to the members of $name, in their order', ({ name }) => {
    const shares = (systemOf(name).members ?? []).map(({ environment = {} }) => environment['PARTS']?.split(',') ?? []);

    expect(shares.flat()).toEqual(PARTS);
    expect(new Set(shares.map(({ length }) => length)).size).toBe(1);
  });

  it.each(SYSTEMS)('starts the same programs for $name as for the others', ({ name }) => {
    const [first = '', own] = ['gateway-5', name].map((one) => {
      const { image, process, members = [] } = systemOf(one);
      const parts = members.map((member) => JSON.stringify([member.image, member.process, member.metrics]));
      return JSON.stringify([image, process, ...new Set(parts)]);
    });

    expect(own).toBe(first);
  });

  it('tests findings about metrics of its programs', () => {
    const tests = suite.published?.findings?.flatMap(({ holdsIf }) => holdsIf) ?? [];
    const own = tests.flatMap(({ service, againstOwn }) => (againstOwn === undefined ? [] : [{ service, againstOwn }]));

    expect(own).toHaveLength(8);
    for (const { service, againstOwn } of own) {
      expect(systemOf(service).metrics?.names).toContain(againstOwn);
    }
  });
});
