import { judgeRun } from '../../src/judge/verdict/judge.ts';
import { type VersusRun, withVersus } from '../../src/model/run/comparison.ts';
import type { Judgment } from '../../src/report/views/judgment.ts';
import { remembered } from './remembered.ts';
import { type SampleRoundsOptions, sampleRounds } from './sample-rounds.ts';
import { type SampleRunOptions, sampleRun } from './sample-run.ts';

/** Services against REST in rounds, as `wiregauge versus` leaves them; a `worse` base is REST. */
export function sampleVersus({ services = ['grpc'], ...options }: SampleRoundsOptions = {}): VersusRun {
  const run = sampleRounds({ ...options, services });
  return {
    ...run,
    services: sampleRun({ services: ['rest', ...services.filter((name) => name !== 'rest')] }).services,
    rounds: { ...run.rounds, versus: { reference: 'rest' } },
  };
}

/** A main job that held its services against each other. The judge needs a while for each, so it is asked once. */
export function sampleMainJob(options: SampleRoundsOptions = {}, slots: SampleRunOptions = {}): Judgment {
  return judgedMainJob(options, slots);
}

const judgedMainJob = remembered((options: SampleRoundsOptions, slots: SampleRunOptions): Judgment => {
  const paired = sampleVersus(options);
  return { run: withVersus(sampleRun(slots), paired), against: undefined, compared: judgeRun(paired) };
});
