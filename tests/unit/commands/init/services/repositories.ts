import { proposeServices } from '../../../../../src/commands/init/services/propose.ts';
import { projectText } from '../../../../../src/commands/init/write/project-text.ts';
import { parseProject } from '../../../../../src/config/parse.ts';

/** Texts of a repository's files, by their paths. */
export type Texts = Readonly<Record<string, string>>;

/** What is proposed for a repository, and what a reader makes of the text of it. */
export function proposed(texts: Texts, name = 'shop') {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  const proposals = proposeServices({ name, files });
  const text = projectText({ services: [proposals[0]] });
  const protoTexts = (root: string) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([path, content]) => {
        const below = root === '.' ? path : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
        return below === undefined || !path.endsWith('.proto') ? [] : [[below, content]];
      }),
    );
  const project = parseProject({ file: 'wiregauge.yml', text }, { protoTexts });
  return { proposals, text, project, service: [...project.services.values()][0], operations: project.suite.operations };
}
