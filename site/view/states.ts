import { KnownError, messageOf } from '../../src/foundation/errors.ts';
import { HistoryError } from '../../src/history/store/fields.ts';
import { lostText } from '../../src/history/store/segments.ts';
import type { History } from '../history.ts';
import { shown } from '../model/words.ts';
import type { Session } from '../session.ts';
import { MissingFile, type Source } from '../source.ts';
import { element } from './element.ts';

/** State without runs. */
export function emptyState(): HTMLElement {
  return stateBox('No runs yet', [
    'This history is empty. The first run appears here as soon as a job publishes it:',
    element('code', {}, ['wiregauge publish out/run.json']),
    'Once five or more runs follow a change of level, it is marked with its commit.',
  ]);
}

/** Reason that the page could not read anything, and the next step. */
export function brokenState(thrown: unknown, kind: Source['kind']): HTMLElement {
  if (thrown instanceof MissingFile) {
    const where = kind === 'folder' ? 'in the chosen folder' : 'next to this page';
    return stateBox('No history here', [
      `There is no history/index.json ${where}.`,
      kind === 'web'
        ? 'Either nothing has been published yet, or the folder history was not copied along with the page.'
        : 'Choose the folder with index.html.',
    ]);
  }
  const isNewer = thrown instanceof HistoryError && thrown.kind === 'newer-schema';
  const title = isNewer ? 'This history is newer than the page' : 'The history cannot be read';
  return stateBox(title, [messageOf(thrown), isNewer ? NEWER_PAGE : nextStep(thrown)]);
}

const NEWER_PAGE = 'Publish a run with the current version of Wiregauge, which includes a page that can read it.';

/** Instructions for publishers do not help a reader. */
function nextStep(thrown: unknown): string {
  return thrown instanceof KnownError
    ? (thrown.next ?? '').replace(/ Nothing was written\.$/, '')
    : 'Reload the page. If that does not help, check that the server still has the folder history.';
}

/** Runs that were lost; undefined if none is missing. */
export function lostBox({ index: { lost } }: History): HTMLElement | undefined {
  return (
    lost &&
    element('p', { class: 'failures', role: 'status' }, [
      element('strong', {}, [`${lostText(lost)}.`]),
      ' The branch of this history was force-pushed or recreated. They are in commit ',
      element('code', {}, [shown(lost.commit, 40)]),
      ' as long as the server keeps it.',
    ])
  );
}

/** Files that could not be read, while the rest is shown. */
export function problemsBox(session: Session): HTMLElement {
  const box = element('div', { role: 'status' });
  const update = () => {
    const { problems } = session.history();
    if (problems.length === box.querySelectorAll('li').length) {
      return;
    }
    const items = problems.map(({ file, why }) => element('li', {}, [why.startsWith(file) ? why : `${file}: ${why}`]));
    box.replaceChildren(
      element('p', {}, [
        element('strong', {}, ['Part of this history cannot be read.']),
        ' Its runs are missing below; everything else is shown.',
      ]),
      element('ul', {}, items),
    );
    box.className = 'failures';
  };
  session.onChange(update);
  update();
  return box;
}

/** A browser does not let a page on a disk read the files next to it: the reader has to select them once. */
export function chooseFolder(chosen: (files: FileList) => void): HTMLElement {
  const input = element('input', { type: 'file', id: 'folder', webkitdirectory: true, multiple: true });
  input.addEventListener('change', () => {
    if (input.files !== null && input.files.length > 0) {
      chosen(input.files);
    }
  });
  return stateBox('Opened from disk', [
    'Browsers do not allow a page on disk to read the files next to it. Choose the folder of this page; nothing leaves this machine.',
    element('label', { class: 'folder' }, ['Folder with index.html and history ', input]),
  ]);
}

function stateBox(title: string, parts: readonly (string | HTMLElement)[]): HTMLElement {
  return element('section', { class: 'summary state', 'aria-label': title }, [
    element('h2', {}, [title]),
    ...parts.map((part) => element('p', {}, [part])),
  ]);
}
