import type { Series } from '../../src/history/store/entry.ts';
import { choices, FILTERS, type Filter } from '../model/selection.ts';
import { metricTitle, operationLabel, serviceLabel, sharedTierLabel } from '../model/words.ts';
import type { Session } from '../session.ts';
import { button, element } from './element.ts';

const LABELS: Readonly<Record<Filter, (name: string, all: readonly Series[]) => string>> = {
  service: serviceLabel,
  operation: (name, all) =>
    operationLabel(
      name,
      all.find(({ operation }) => operation === name),
    ),
  tier: sharedTierLabel,
  metric: metricTitle,
};

/** Controls that narrow the list: a search field, and choices of the names in the series. */
export function filterControls(session: Session) {
  const query = element('input', { type: 'search', id: 'query', autocomplete: 'off', maxlength: 200 });
  query.addEventListener('input', () => session.change({ query: query.value }));
  const selects = FILTERS.map((filter) => {
    const select = filterSelect(session, filter);
    const label = element('label', {}, [`${filter.slice(0, 1).toUpperCase()}${filter.slice(1)} `, select]);
    return { filter, select, label };
  });
  const update = () => {
    const state = session.state();
    if (query.value !== state.query) {
      query.value = state.query;
    }
    for (const { filter, select, label } of selects) {
      select.value = state[filter] ?? '';
      // "all" and a single name leave nothing to choose, unless a link has selected it.
      label.hidden = select.options.length < 3 && state[filter] === undefined;
    }
  };
  const offer = (all: readonly Series[]) => {
    for (const { filter, select } of selects) {
      select.replaceChildren(...optionsOf(filter, all));
    }
    update();
  };
  session.onChange(update);
  offer([]);
  const clear = () =>
    session.change({ query: '', service: undefined, operation: undefined, tier: undefined, metric: undefined });
  const node = element('div', { class: 'controls', role: 'search', 'aria-label': 'Series' }, [
    element('label', {}, ['Search ', query]),
    ...selects.map(({ label }) => label),
    button('Show all', clear),
  ]);
  return { node, offer };
}

function filterSelect(session: Session, filter: Filter): HTMLSelectElement {
  const select = element('select', { id: `filter-${filter}` });
  select.addEventListener('change', () => session.change({ [filter]: select.value === '' ? undefined : select.value }));
  return select;
}

function optionsOf(filter: Filter, all: readonly Series[]): readonly HTMLOptionElement[] {
  return [
    element('option', { value: '' }, ['all']),
    ...choices(all, filter).map((name) => element('option', { value: name }, [LABELS[filter](name, all)])),
  ];
}
