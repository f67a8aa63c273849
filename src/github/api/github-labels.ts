import { z } from 'zod';
import type { LabelEvent } from '../../judge/verdict/label-acceptance.ts';
import { onErrand } from './github-errors.ts';
import { type GithubRepository, PAGE } from './github-repository.ts';

const labelsSchema = z.array(z.object({ name: z.string() }));

/** Of the many kinds of events only those of labels have a label; GitHub forgets the actor whose account is gone. */
const eventsSchema = z.array(
  z.object({
    event: z.string().optional(),
    created_at: z.string().optional(),
    actor: z.object({ login: z.string() }).nullish(),
    label: z.object({ name: z.string().nullish() }).nullish(),
  }),
);

const PERMISSIONS = 'pull-requests: read';

/** The names of the labels that a pull request has now. Rejects with GitHubRefusal. */
export async function pullRequestLabels(
  { client, of, name }: GithubRepository,
  number: number,
): Promise<readonly string[]> {
  const errand = { what: `list the labels of pull request #${number} of ${name}`, permissions: PERMISSIONS };
  return await onErrand(errand, async () => {
    const about = { ...of, issue_number: number, per_page: PAGE };
    const pages = await client.paginate(client.rest.issues.listLabelsOnIssue, about);
    return labelsSchema.parse(pages).map((label) => label.name);
  });
}

/**
 * Who put a label on a pull request last, and when; undefined where it is not on, and where no event says who did it, which the log
 * then tells. Capitals do not count, as on GitHub. Rejects with GitHubRefusal.
 */
export async function labelEventOf(
  repository: GithubRepository,
  number: number,
  label: string,
): Promise<LabelEvent | undefined> {
  const isIt = (name: string) => name.toLowerCase() === label.toLowerCase();
  if (!(await pullRequestLabels(repository, number)).some(isIt)) {
    return undefined;
  }
  const added = (await eventsOf(repository, number)).filter(
    (event) => event.event === 'labeled' && isIt(event.label?.name ?? ''),
  );
  const { actor, created_at: at } = added.at(-1) ?? {};
  if (!actor || at === undefined) {
    repository.log(`The label "${label}" is on, but no event says who added it: take it off, and add it again.`);
    return undefined;
  }
  return { by: actor.login, at };
}

async function eventsOf({ client, of, name }: GithubRepository, number: number): Promise<z.infer<typeof eventsSchema>> {
  const errand = { what: `list the events of pull request #${number} of ${name}`, permissions: PERMISSIONS };
  return await onErrand(errand, async () => {
    const about = { ...of, issue_number: number, per_page: PAGE };
    return eventsSchema.parse(await client.paginate(client.rest.issues.listEvents, about));
  });
}
