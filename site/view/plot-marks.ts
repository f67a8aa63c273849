import type uPlot from 'uplot';
import type { HistoryChange } from '../../src/history/store/changes.ts';
import { seriesKey } from '../../src/history/store/entry.ts';
import { turnOfChange } from '../model/changes.ts';
import { type ChartContent, levelsOf } from '../model/chart.ts';
import { type ChartEvent, EVENT_KINDS } from '../model/events.ts';
import type { Colors } from './colors.ts';

/** Labels above the plot that differ from the text of their event. */
const WORDS: Partial<Readonly<Record<ChartEvent['kind'], (text: string) => string>>> = {
  pending: (text) => `${text}?`,
  accepted: () => 'accepted',
  machine: () => 'other machine',
  gap: () => 'runs missing',
};

const ROW_HEIGHT = 14;

/** Height above the plot, in pixels of the page, for the labels of all events. */
export function wordsHeight({ events }: ChartContent): number {
  return 4 + ROW_HEIGHT * rowsOf(events).length;
}

/** Rows that have a label, in order. */
function rowsOf(events: readonly ChartEvent[]): readonly number[] {
  return [...new Set(events.map(({ kind }) => EVENT_KINDS[kind].row))].sort();
}

/** Draws marks of changes, releases, acceptances and machines over the lines; sizes are in pixels of the page. */
export function drawMarks(plot: uPlot, content: ChartContent, colors: Colors): void {
  const { ctx } = plot;
  ctx.save();
  ctx.scale(devicePixelRatio, devicePixelRatio);
  drawMachines(plot, content, colors);
  drawLevels(plot, content, colors);
  drawEvents(plot, content, colors);
  drawTriangles(plot, content, colors);
  ctx.restore();
}

/** Area of the plot in the canvas, in pixels of the page. */
function boxOf({ bbox }: uPlot) {
  const [left, top] = [bbox.left / devicePixelRatio, bbox.top / devicePixelRatio];
  return { left, top, right: left + bbox.width / devicePixelRatio, bottom: top + bbox.height / devicePixelRatio };
}

function xOf(plot: uPlot, place: number): number {
  return plot.valToPos(place, 'x') + boxOf(plot).left;
}

function yOf(plot: uPlot, value: number): number {
  return plot.valToPos(value, 'y') + boxOf(plot).top;
}

/** Draws a strip along the bottom whose shade distinguishes machines; none if all runs are from one. */
function drawMachines(plot: uPlot, { machines: numbers }: ChartContent, colors: Colors): void {
  const { ctx } = plot;
  const { left, right, bottom } = boxOf(plot);
  if (numbers.every((number) => number === numbers[0])) {
    return;
  }
  ctx.fillStyle = colors.faint;
  let start = 0;
  for (let place = 1; place <= numbers.length; place += 1) {
    if (numbers[place] !== numbers[start]) {
      const [from, to] = [Math.max(left, xOf(plot, start - 0.5)), Math.min(right, xOf(plot, place - 0.5))];
      ctx.globalAlpha = SHADES[(numbers[start] ?? 0) % SHADES.length] ?? 0;
      ctx.fillRect(from, bottom - 5, Math.max(0, to - from), 5);
      start = place;
    }
  }
  ctx.globalAlpha = 1;
}

/** Opacities of the machines in the strip, the first one faint. */
const SHADES = [0.25, 0.85, 0.5];

/** Draws levels of the shown series between its change points. */
function drawLevels(plot: uPlot, content: ChartContent, colors: Colors): void {
  const { ctx } = plot;
  const { left, right } = boxOf(plot);
  ctx.strokeStyle = colors.ink;
  ctx.lineWidth = 1.25;
  for (const { from, to, value } of levelsOf(content)) {
    const [start, end] = [Math.max(left, xOf(plot, from)), Math.min(right, xOf(plot, to))];
    if (end > start && isDrawn(value, content)) {
      const y = yOf(plot, value);
      ctx.beginPath();
      ctx.moveTo(start, y);
      ctx.lineTo(end, y);
      ctx.stroke();
    }
  }
}

/** A logarithmic axis cannot show 0. */
function isDrawn(value: number, { isLogarithmic }: ChartContent): boolean {
  return isLogarithmic ? value > 0 : value >= 0;
}

function drawEvents(plot: uPlot, content: ChartContent, colors: Colors): void {
  const { ctx } = plot;
  const { left, right, top, bottom } = boxOf(plot);
  const start = top + 1 - wordsHeight(content);
  const rows = new Map(rowsOf(content.events).map((row, place) => [row, { y: start + place * ROW_HEIGHT, end: left }]));
  ctx.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  for (const event of content.events) {
    const { row, dash, isOfRun = false } = EVENT_KINDS[event.kind];
    const x = xOf(plot, isOfRun ? event.place : event.place - 0.5);
    if (x < left || x > right + 0.5) {
      continue;
    }
    ctx.strokeStyle = colorOf(event.kind, colors);
    ctx.fillStyle = colorOf(event.kind, colors);
    ctx.lineWidth = 1;
    ctx.setLineDash([...dash]);
    ctx.beginPath();
    ctx.moveTo(x, top - 3);
    ctx.lineTo(x, bottom);
    ctx.stroke();
    drawWord(plot, event, x, rows.get(row));
  }
  ctx.setLineDash([]);
}

/** Top of a row of labels, and the end of its last label. */
type LabelRow = { readonly y: number; end: number };

/** A label is left out if it would overlap the previous one. */
function drawWord(plot: uPlot, { kind, text }: ChartEvent, x: number, row: LabelRow | undefined): void {
  const { ctx } = plot;
  const { right, left } = boxOf(plot);
  const word = WORDS[kind]?.(text) ?? text;
  const width = ctx.measureText(word).width;
  const start = Math.max(left, Math.min(right - width, x - width / 2));
  if (row !== undefined && start >= row.end) {
    ctx.fillText(word, start, row.y);
    row.end = start + width + 6;
  }
}

function colorOf(kind: ChartEvent['kind'], colors: Colors): string {
  return kind === 'worse' || kind === 'better' ? colors[kind] : colors.faint;
}

/** Draws a triangle at each change point: up for an increase, down for a decrease; hollow while it is pending. */
function drawTriangles(plot: uPlot, content: ChartContent, colors: Colors): void {
  const { places } = content;
  const values = new Map(content.lines.map(({ key, figures }) => [key, figures.values]));
  const { left, right } = boxOf(plot);
  for (const change of content.changes) {
    const place = places.get(change.run) ?? Number.NaN;
    const value = values.get(seriesKey(change.series))?.[place] ?? Number.NaN;
    const x = xOf(plot, place);
    if (isDrawn(value, content) && x >= left && x <= right) {
      const fill = colorOf(turnOfChange(change), colors);
      triangle(plot, change, { x, y: yOf(plot, value), fill, page: colors.page });
    }
  }
}

interface Triangle {
  readonly x: number;
  readonly y: number;
  readonly fill: string;
  readonly page: string;
}

function triangle({ ctx }: uPlot, { shift, pending }: HistoryChange, { x, y, fill, page }: Triangle): void {
  const up = shift > 0 ? -1 : 1;
  ctx.beginPath();
  ctx.moveTo(x, y + up * 7);
  ctx.lineTo(x - 6, y - up * 4);
  ctx.lineTo(x + 6, y - up * 4);
  ctx.closePath();
  ctx.fillStyle = pending ? page : fill;
  ctx.strokeStyle = pending ? fill : page;
  ctx.lineWidth = 1.5;
  ctx.fill();
  ctx.stroke();
}
