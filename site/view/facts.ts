import { messageOf } from '../../src/foundation/errors.ts';
import type { History } from '../history.ts';
import { safeUrl } from '../model/links.ts';
import { runsIn } from '../model/segments.ts';
import { counted, dayText, shown } from '../model/words.ts';
import { savedCopy } from '../saved-copy.ts';
import type { Session } from '../session.ts';
import { button, element, outsideLink } from './element.ts';

/** Line below the title: repository and length of the history. */
export function facts({ index, store }: History): void {
  const list = document.getElementById('facts');
  const days = [...index.segments].map(({ from }) => from).sort();
  const since = days[0] === undefined ? [] : [`since ${dayText(Date.parse(days[0]))}`];
  const where =
    index.repository === undefined ? [] : [outsideLink(nameOf(index.repository), safeUrl(index.repository))];
  const texts = [counted(runsIn(index.segments), 'run'), ...since, counted(store.series.size, 'series')];
  list?.replaceChildren(...[...where, ...texts].map((one) => element('li', {}, [one])));
  const made = document.getElementById('made');
  made?.replaceChildren(`Wiregauge ${shown(index.wiregauge, 40)}`);
}

function nameOf(repository: string): string {
  return shown(repository.replace(/^https?:\/\/(?:www\.)?/, ''), 80);
}

/** Control that saves the page with its history as one file; nothing if the page has no files to read, or no hashes of them. */
export function saveControl(session: Session): HTMLElement | undefined {
  if (session.source.kind !== 'web' || !isSecureContext) {
    return undefined;
  }
  const said = element('span', { class: 'note', role: 'status' });
  const save = async () => {
    said.textContent = 'Reading all runs…';
    const address = URL.createObjectURL(await savedCopy(session.source, session.history()));
    const link = element('a', { href: address, download: 'performance.html' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), REVOKED_AFTER_MS);
    said.textContent = 'Saved as one file that opens offline.';
  };
  const press = () => {
    save().catch((thrown: unknown) => {
      said.textContent = `Not saved: ${messageOf(thrown)}`;
    });
  };
  return element('p', { class: 'actions' }, [button('Save a copy of this page', press), ' ', said]);
}

/** By then, a browser has read the address. */
const REVOKED_AFTER_MS = 60_000;
