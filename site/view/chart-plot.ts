import uPlot from 'uplot';
import { type ChartContent, chartContent, stretchOf, timesOf } from '../model/chart.ts';
import type { ChartEvent } from '../model/events.ts';
import { lostSegments } from '../model/gaps.ts';
import { gripped, panned, type Stretch, zoomed } from '../model/scales.ts';
import type { Session } from '../session.ts';
import { pageColors } from './colors.ts';
import { type ChartMoves, listenToMoves } from './gestures.ts';
import { type PlotListeners, type PlotSize, plotFigures, plotOptions } from './plot.ts';

/** Content of the chart, and its queries. */
export type ChartView = ReturnType<typeof chartView>;

/** Part of the page that follows the chart. */
export interface ChartPart {
  readonly node: HTMLElement;
  update(): void;
}

export type Plot = ReturnType<typeof startPlot>;

/** Plot in an area, which follows the session and user input. */
export function startPlot(session: Session, area: HTMLElement) {
  let plot: uPlot | undefined;
  let content: ChartContent | undefined;
  let pointed: number | undefined;
  let heard: () => void = () => {};
  const point = (place: number | undefined) => {
    if (place !== pointed) {
      pointed = place;
      heard();
    }
  };
  const view = chartView(
    session,
    () => content,
    () => pointed,
  );
  const pointAt = (place: number) => plot?.setCursor({ left: plot.valToPos(place, 'x'), top: 10 }, false);
  // The cursor stays at the selected run while no other run is pointed at.
  const showKept = () => pointed === undefined && view.isKept(view.place()) && pointAt(view.place());
  const listeners = {
    hovered: (place: number | undefined) => {
      point(place);
      showKept();
    },
    chosen: (from: number, to: number) => view.show([from, to]),
  };
  const move = () => {
    moved(plot, content, view.stretch());
    // The plot also moves in a microtask.
    queueMicrotask(showKept);
  };
  const moves = chartMoves(session, view, (place) => {
    pointAt(place);
    point(place);
  });
  listenToMoves(area, moves);
  new ResizeObserver(() => plot?.setSize(sizeOf(area))).observe(area);
  area.addEventListener('click', () => pointed !== undefined && moves.choose());
  return {
    view,
    /** Redraws if the lines or figures have changed. */
    draw() {
      const { series: key, hidden, axis } = session.state();
      const { store, changes } = session.history();
      const lost = lostSegments(session.history());
      content = key === undefined ? undefined : chartContent({ store, changes, lost }, { key, hidden, axis });
      plot?.destroy();
      pointed = undefined;
      plot = content && drawn(content, area, listeners);
      move();
    },
    /** Only moves to another range. */
    move,
    onPoint(listener: () => void) {
      heard = listener;
    },
  };
}

/** Moves the plot, with the detail that its width can show. */
function moved(plot: uPlot | undefined, content: ChartContent | undefined, [from, to]: Stretch): void {
  if (plot !== undefined && content !== undefined) {
    plot.setData(plotFigures(content, [from, to], plot.width), false);
    plot.setScale('x', { min: from - 0.5, max: to + 0.5 });
  }
}

/** Initially without figures, which come with the range. */
function drawn(content: ChartContent, area: HTMLElement, listeners: PlotListeners): uPlot {
  const options = plotOptions(content, pageColors(), sizeOf(area), listeners);
  return new uPlot(options, plotFigures(content, [0, 0], 1), area);
}

function chartView(session: Session, content: () => ChartContent | undefined, pointed: () => number | undefined) {
  const runs = () => content()?.runs ?? [];
  const last = () => Math.max(0, runs().length - 1);
  const show = (requested: Stretch) => {
    const [from, to] = [Math.max(0, requested[0]), Math.min(last(), requested[1])];
    const wide = zoomed([from, to], 1, (from + to) / 2, last());
    session.change(timesOf(runs(), wide));
  };
  return {
    content,
    stretch: (): Stretch => stretchOf(runs(), session.state()),
    show,
    /** Widens the range by a factor, around a share of the width; reads older runs if there are no more to show. */
    zoom(factor: number, share: number) {
      const [from, to] = stretchOf(runs(), session.state());
      if (factor > 1 && from === 0) {
        readOn(session);
      }
      show(zoomed([from, to], factor, from + share * (to - from), last()));
    },
    /** Index of the run whose figures are shown: the pointed one, the selected one, or the latest. */
    place() {
      const { run } = session.state();
      const kept = run === undefined ? undefined : content()?.places.get(run);
      return pointed() ?? kept ?? last();
    },
    isKept: (place: number) => session.state().run !== undefined && runs()[place]?.run === session.state().run,
    events: (place: number): readonly ChartEvent[] => content()?.events.filter((event) => event.place === place) ?? [],
  };
}

function chartMoves(session: Session, view: ChartView, point: (place: number) => void): ChartMoves {
  const last = () => Math.max(0, (view.content()?.runs.length ?? 0) - 1);
  const go = (place: number) => {
    const to = Math.min(last(), Math.max(0, place));
    const [from, end] = view.stretch();
    if (to < from || to > end) {
      view.show(panned([from, end], to < from ? to - from : to - end, last()));
    }
    point(to);
  };
  return {
    zoom: view.zoom,
    pan(share) {
      const [from, to] = view.stretch();
      if (share < 0 && from === 0) {
        readOn(session);
      }
      view.show(panned([from, to], share * (to - from), last()));
    },
    hold() {
      // The shown times stay the same when older runs are added.
      const held = timesOf(view.content()?.runs ?? [], view.stretch());
      return (grip) => {
        const moved = gripped(stretchOf(view.content()?.runs ?? [], { ...held, run: undefined }), grip, last());
        if (moved[0] === 0) {
          readOn(session);
        }
        view.show(moved);
      };
    },
    step: (by) => go(view.place() + by),
    jump: (to) => go(to === 'first' ? 0 : last()),
    choose() {
      session.change({ run: view.content()?.runs[view.place()]?.run }, 'push');
    },
    leave() {
      session.change({ run: undefined, from: undefined, to: undefined });
    },
  };
}

/** Reads older runs once the user reaches the oldest one. */
function readOn(session: Session): void {
  const { unread } = session.history();
  if (unread.length > 0 && !session.isReading()) {
    void session.readOlder((history) => history.unread.length < unread.length);
  }
}

function sizeOf(area: HTMLElement): PlotSize {
  const width = Math.max(200, area.clientWidth);
  return { width, height: width < 560 ? 300 : 360 };
}
