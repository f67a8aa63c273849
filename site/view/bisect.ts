import type { HistoryChange } from '../../src/history/store/changes.ts';
import { bisectCommand } from '../model/bisect.ts';
import type { Session } from '../session.ts';
import { button, element } from './element.ts';

/** Button that shows and copies the command that finds the commit of a change; nothing without such a command. */
export function bisectButton(session: Session, change: HistoryChange): HTMLElement | undefined {
  const command = bisectCommand(session.history().store, change);
  if (command === undefined) {
    return undefined;
  }
  const shownCommand = element('code', { class: 'command', tabindex: 0, hidden: true }, [command]);
  const said = element('span', { class: 'note', role: 'status' });
  const show = () => {
    shownCommand.hidden = false;
    // A page opened from a disk may have no clipboard.
    navigator.clipboard?.writeText(command).then(
      () => {
        said.textContent = 'Copied.';
      },
      () => {
        said.textContent = 'Select it to copy it.';
      },
    );
  };
  return element('span', { class: 'bisect' }, [button('Find the commit', show), ' ', said, shownCommand]);
}
