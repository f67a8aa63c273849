import type { Series } from '../../src/core/history-store/series.ts';
import { choices, FILTERS, type Filter } from '../model/selection.ts';
import { metricTitle, operationLabel, serviceLabel, tierLabel } from '../model/words.ts';
import type { Session } from '../session.ts';
import { button, element } from './element.ts';

const LABELS: Readonly<Record<Filter, (name: string) => string>> = {
  service: serviceLabel,
  operation: operationLabel,
  tier: tierLabel,
  metric: metricTitle,
};

/** A field to search with, and a choice for each kind of name. */
export function filterControls(session: Session, all: readonly Series[]): HTMLElement {
  const query = element('input', { type: 'search', id: 'query', autocomplete: 'off', maxlength: 200 });
  query.addEventListener('input', () => session.change({ query: query.value }));
  const selects = FILTERS.map((filter) => ({ filter, select: filterSelect(session, filter, all) }));
  const update = () => {
    const state = session.state();
    if (query.value !== state.query) {
      query.value = state.query;
    }
    for (const { filter, select } of selects) {
      select.value = state[filter] ?? '';
    }
  };
  session.onChange(update);
  update();
  const clear = () =>
    session.change({ query: '', service: undefined, operation: undefined, tier: undefined, metric: undefined });
  return element('div', { class: 'controls', role: 'search', 'aria-label': 'Series' }, [
    element('label', {}, ['Search ', query]),
    ...selects.map(({ filter, select }) =>
      element('label', {}, [`${filter.slice(0, 1).toUpperCase()}${filter.slice(1)} `, select]),
    ),
    button('Show all', clear),
  ]);
}

function filterSelect(session: Session, filter: Filter, all: readonly Series[]): HTMLSelectElement {
  const select = element('select', { id: `filter-${filter}` }, [
    element('option', { value: '' }, ['all']),
    ...choices(all, filter).map((name) => element('option', { value: name }, [LABELS[filter](name)])),
  ]);
  select.addEventListener('change', () => session.change({ [filter]: select.value === '' ? undefined : select.value }));
  return select;
}
