import { describe, expect, test } from 'vitest';
import { clusterSettings } from '../../../../src/runtime/kubernetes/settings.ts';

describe('the settings of a cluster', () => {
  test('take the context and its namespace, and push by Docker, if nothing else is set', () => {
    expect(clusterSettings({ WIREGAUGE_KUBERNETES_REGISTRY: 'ghcr.io/acme/perf' })).toEqual({
      context: undefined,
      namespace: undefined,
      registry: 'ghcr.io/acme/perf',
      push: ['docker', 'push'],
      generators: 1,
    });
  });

  test('name a context, a namespace, and another command that pushes', () => {
    const variables = {
      WIREGAUGE_KUBERNETES_CONTEXT: 'kind-perf',
      WIREGAUGE_KUBERNETES_NAMESPACE: 'perf',
      WIREGAUGE_KUBERNETES_REGISTRY: 'localhost:5000/perf',
      WIREGAUGE_KUBERNETES_PUSH: 'kind load  docker-image',
      WIREGAUGE_KUBERNETES_GENERATORS: 'auto',
    };

    expect(clusterSettings(variables)).toEqual({
      context: 'kind-perf',
      namespace: 'perf',
      registry: 'localhost:5000/perf',
      push: ['kind', 'load', 'docker-image'],
      generators: 'auto',
    });
  });

  test.each([
    [undefined, 'WG-109', /REGISTRY is not set/],
    ['', 'WG-109', /REGISTRY is not set/],
    ['perf', 'WG-105', /"perf", which is not an image name/],
    ['ghcr.io/acme/perf:1', 'WG-105', /not an image name/],
    ['--privileged/x', 'WG-105', /not an image name/],
  ])('refuse the registry %j', (registry, code, message) => {
    expect(() => clusterSettings({ WIREGAUGE_KUBERNETES_REGISTRY: registry })).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  test.each(['0', '1000', '-1', '2.5', 'many'])('refuse %s generators', (generators) => {
    const variables = { WIREGAUGE_KUBERNETES_REGISTRY: 'r/perf', WIREGAUGE_KUBERNETES_GENERATORS: generators };

    expect(() => clusterSettings(variables)).toThrow(
      expect.objectContaining({ code: 'WG-105', message: expect.stringContaining(`GENERATORS is "${generators}"`) }),
    );
  });
});
