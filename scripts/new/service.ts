import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { servicesIn } from '../../src/project/suite.ts';
import { type Kind, nameMistakes, titleMistakes, titleOf } from './kind.ts';
import { filledTemplate } from './template.ts';

const LANGUAGES: readonly string[] = ['python', 'go'];

/** Service that shares the build of this workspace: one folder below `services`. */
export const service: Kind = {
  about: 'a service of this workspace that answers over REST, with its tests: services/<name>',
  options: {
    language: [LANGUAGES.join('|'), 'its programming language; default: python'],
    title: ['<text>', 'what reports call it; default: made from the name'],
  },

  mistakes({ name, options }, root) {
    const { language = 'python' } = options;
    return [
      ...nameMistakes(name),
      ...(existsSync(join(root, 'services', name)) ? [`services/${name} already exists`] : []),
      ...(servicesIn(root).includes(name) ? [`there is already a service ${name}`] : []),
      ...(LANGUAGES.includes(language) ? [] : [`--language is ${language}: it must be ${LANGUAGES.join(' or ')}`]),
      ...titleMistakes(options),
    ];
  },

  make(wish, root) {
    const { name } = wish;
    const { language = 'python' } = wish.options;
    const module = `${name.replaceAll('-', '_')}_service`;
    const words = {
      sample_service: module,
      'sample-project': `${name}-service`,
      'sample-name': name,
      'Sample title': titleOf(wish),
    };
    const files = Object.entries(filledTemplate(root, language, words));
    const isPython = language === 'python';
    return {
      written: Object.fromEntries(files.map(([path, text]) => [`services/${name}/${path}`, text])),
      changed: {},
      // The lock file lists the packages of the workspace.
      commands: isPython ? [['sh', '-c', '"$(scripts/uv)" lock --quiet']] : [],
      next: [
        isPython
          ? `uv run --all-packages pytest services/${name}      its own tests`
          : `go test -C services/${name} ./...      its own tests`,
        'npm run readme      puts it into the table of services/README.md',
        `npm run new -- suite ${name} --services ${name}      a suite that measures it`,
      ],
    };
  },
};
